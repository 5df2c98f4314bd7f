import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { type FakeRun, putFakeAgent } from "../../../../../test/support/fake-agent.js";
import { makeEnvelope } from "../../../../../test/support/http-hub.js";
import { findAgent } from "../../agents/agents.js";
import { clientScript, putClient } from "../../agents/attach/client-script.js";
import { keysIn } from "../../agents/attach/http-entries.js";
import { wantedFile } from "../../agents/attach/plan-attach.js";
import { readAttachKey } from "../../agents/client/attach-key.js";
import { applyEdit } from "../../agents/install/apply-edit.js";
import { planEdit } from "../../agents/install/plan-edit.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";

// The built command line in this process, a real hub, and a definition that runs Claude Code's hooks.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });
const home = createHomeInProcess();
const PATH = putFakeAgent(home, "claude");
const settings = join(home.folder, ".claude", "settings.json");
const folder = join(home.state, "attach");
process.env.PATH = PATH;
const hookline = home.run;
const textOf = (path: string) => readFileSync(path, "utf8");
const jsonOf = (name: string) => JSON.parse(textOf(join(home.state, name))) as { readonly url: string; readonly token: string };
const keyNow = () => readAttachKey(home.state) ?? { token: "", seal: "" };
const finding = async (id: string) => {
  const { checks } = JSON.parse((await hookline("doctor", "--json")).out) as { checks: { id: string }[] };
  return checks.find((check) => check.id === id);
};

/** What Claude Code does with a command: why it was denied, or nothing. */
async function denied(command = "rm -rf /"): Promise<string | undefined> {
  const child = spawn("claude", ["--do", command], { env: { ...home.env, PATH }, cwd: home.folder });
  let out = "";
  child.stdout.on("data", (text) => (out += text));
  await once(child, "close");
  return (JSON.parse(out) as FakeRun).denied;
}

/** Asks the hub over TCP, as another user of this machine can. */
async function post(path: string, token: string, body: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return (await fetch(jsonOf("hub.json").url + path, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

beforeAll(async () => {
  home.write(
    "config/hookline/hookline.toml",
    '[[rule]]\nname = "no-rm"\nevent = "tool:before"\nmatch = "tool.input.command contains \'rm -rf\'"\ndo = "block"\nmessage = "not here"\n',
  );
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
});
beforeEach(async () => {
  await hookline("detach", "claude-code");
  rmSync(join(home.folder, ".claude"), { recursive: true, force: true });
});
afterAll(() => home.close());

describe("hookline attach claude-code", () => {
  it("writes no key into the settings and shows none; its calls are guarded, and counted without a hub", async () => {
    const shown = await hookline("attach", "claude-code", "--dry-run");
    expect(shown.out).toContain("/attach/claude-code.");
    await hookline("attach", "claude-code");
    for (const text of [shown.out, textOf(settings)]) {
      expect(text).not.toMatch(/Bearer|http:/);
      expect(text).not.toContain(keyNow().token);
    }
    expect(await denied()).toContain("(rule no-rm): not here.");
    expect((await hookline("attach", "claude-code", "--check")).code).toBe(0);
    expect(await finding("agent-http")).toMatchObject({ state: "ok" });
  });

  it("gives agents a key that can neither ingest in another's name nor read nor approve", async () => {
    const { token } = keyNow();
    const forged = makeEnvelope({
      event: "permission:replied",
      payload: { approval: { verdict: "allow", by: "a person" } },
      source: { app: "claude-code", host: "h", pid: 0, instance: "claude-code" },
    });
    expect(await post("/api/hooks/ingest", token, forged)).toBe(403);
    for (const path of ["/api/decide", "/api/approvals/1", "/api/token/rotate", "/api/stop", "/api/login/link"])
      expect([path, await post(path, token, {})]).toEqual([path, 403]);
    const { out } = await hookline("tail", "--no-follow", "--json", "--event", "permission:replied");
    expect(out).toBe("");
  });
});

describe("hookline attach claude-code --http", () => {
  it("is refused for a file that others can read, for a project, for --strict, and for an agent that cannot post", async () => {
    mkdirSync(join(home.folder, ".claude"));
    writeFileSync(settings, "{}", { mode: 0o644 });
    chmodSync(settings, 0o644);
    expect(await hookline("attach", "claude-code", "--http")).toMatchObject({
      code: 1,
      err: expect.stringContaining(`chmod 600 '${settings}'`),
    });
    expect(textOf(settings)).toBe("{}");
    chmodSync(settings, 0o600);
    for (const options of [
      ["claude-code", "--http", "--project"],
      ["claude-code", "--http", "--strict"],
      ["codex", "--http"],
    ])
      expect(await hookline("attach", ...options)).toMatchObject({ code: 2, out: "" });
    expect(textOf(settings)).toBe("{}");
  });

  it("makes the file its owner's alone under any umask, shows no key, and is reported", async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const shown = await hookline("attach", "claude-code", "--http", "--dry-run");
    expect(shown.out).toContain("Bearer <key>");
    const { code, err } = await hookline("attach", "claude-code", "--http");
    expect([code, err]).toEqual([0, expect.stringContaining("its settings hold a key")]);
    expect(err).not.toContain("continue and are counted");
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    const [key = ""] = keysIn(textOf(settings));
    expect(shown.out).not.toContain(key);
    expect([keyNow().token, keyNow().seal]).not.toContain(key);
    expect(await denied()).toContain("(rule no-rm): not here.");
    expect(await hookline("attach", "claude-code", "--check")).toMatchObject({ code: 0 });
    expect((await hookline("agents")).err).toContain("its settings hold a key");
    expect(await finding("agent-http")).toMatchObject({ state: "warn", fix: "hookline attach claude-code" });
    chmodSync(settings, 0o644);
    expect(await finding("agent-http")).toMatchObject({ state: "fail", fix: `chmod 600 '${settings}'; hookline token rotate` });
    chmodSync(settings, 0o600);
    expect((await hookline("detach", "claude-code", "--dry-run")).out).not.toContain(key);
    expect(await hookline("detach", "claude-code")).toMatchObject({ code: 0, err: expect.stringContaining("no longer works") });
    expect(await post("/api/agents/claude-code/Notification?plain=1", key, {})).toBe(401);
    expect(existsSync(settings)).toBe(false);
  });

  it("follows the hub to another port, and sends its key only there", async () => {
    await hookline("attach", "claude-code", "--http");
    const { url } = jsonOf("hub.json");
    await hookline("down");
    let asked = 0;
    const squatter = createServer((_, answer) => {
      asked++;
      answer.end("{}");
    });
    squatter.listen(Number(new URL(url).port), "127.0.0.1");
    await once(squatter, "listening");
    onTestFinished(() => void squatter.close());
    expect(await hookline("attach", "claude-code", "--check")).toMatchObject({
      code: 1,
      out: expect.stringContaining("no hub is running"),
    });
    expect(await hookline("attach", "claude-code", "--http")).toMatchObject({ code: 1, err: expect.stringContaining("no hub is running") });
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
    await hookline("doctor");
    expect(asked).toBe(0);
    expect((squatter.address() as AddressInfo).port).not.toBe(Number(new URL(jsonOf("hub.json").url).port));
    expect(await denied()).toContain("(rule no-rm): not here.");
    expect(await finding("agent-port")).toMatchObject({ state: "ok" });
  });
});

describe("hookline token rotate", () => {
  it.each([[[]], [["--http"]]])("replaces every key, and an agent attached %j goes on", async (options) => {
    await hookline("attach", "claude-code", ...options);
    const [key, { token: forwarder }, { token: operator }] = [keyNow(), jsonOf("hub.json"), jsonOf("operator.json")];
    const [posted = key.token] = keysIn(textOf(settings));
    expect(await hookline("token", "rotate")).toMatchObject({ code: 0, err: expect.stringContaining("All keys were replaced") });
    for (const token of [key.token, posted, forwarder, operator])
      expect(await post("/api/agents/claude-code/Notification?plain=1", token, {})).toBe(401);
    expect(keyNow().seal).not.toBe(key.seal);
    expect(await denied()).toContain("(rule no-rm): not here.");
    expect((await hookline("status")).code).toBe(0);
    expect((await hookline("attach", "claude-code", "--check")).code).toBe(0);
    expect(statSync(settings).mode & 0o077).toBe(options.length === 0 ? statSync(settings).mode & 0o077 : 0);
  });

  it("says what it could not renew", async () => {
    await hookline("attach", "claude-code", "--http");
    writeFileSync(settings, `${textOf(settings)},`);
    expect(await hookline("token", "rotate")).toMatchObject({ code: 1, err: expect.stringContaining("hookline attach claude-code") });
    rmSync(settings);
  });

  it("replaces the keys of agents also while no hub runs", async () => {
    await hookline("attach", "claude-code", "--http");
    await hookline("down");
    const { token } = keyNow();
    expect(await hookline("token", "rotate")).toMatchObject({ code: 0, err: expect.stringContaining("No hub is running") });
    expect(keyNow().token).not.toBe(token);
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
    expect(await denied()).toContain("(rule no-rm): not here.");
  });
});

describe("an agent that an older version attached", () => {
  /** As it was written: the key of all agents, by http, into a file that others can read. */
  function attachAsBefore(): string {
    const definition = findAgent("claude-code") as AgentDefinition;
    const { token } = keyNow();
    const http = { url: jsonOf("hub.json").url, token };
    const socket = join(home.folder, "run/hookline/http.sock");
    const client = clientScript({ agent: definition, isStrict: false, env: process.env, folder, socket });
    putClient(folder, client);
    const wanted = wantedFile(definition, folder, { isStrict: false, client, http });
    applyEdit(folder, planEdit(folder, { agent: "claude-code", scope: "user", path: settings }, wanted));
    chmodSync(settings, 0o644);
    return token;
  }

  it("is guarded as before, reported, and gets rid of its key when it is attached again", async () => {
    const token = attachAsBefore();
    expect(textOf(settings)).toContain(token);
    expect(await denied()).toContain("(rule no-rm): not here.");
    expect(await finding("agent-http")).toMatchObject({
      state: "fail",
      fix: "hookline attach claude-code",
      detail: expect.stringContaining("the key of all attached agents"),
    });
    const { err } = await hookline("attach", "claude-code");
    expect(err).toContain("no longer works");
    expect(textOf(settings)).not.toMatch(/Bearer/);
    expect(await post("/api/agents/claude-code/Notification?plain=1", token, {})).toBe(401);
    expect(await denied()).toContain("(rule no-rm): not here.");
  });

  it.each([
    ["is in the record", () => {}, "hookline attach claude-code"],
    ["was forgotten with the record", () => rmSync(join(folder, "installed.json")), "hookline upgrade"],
  ])("is found by doctor, and gets rid of its key by hookline upgrade if it %s", async (_, before, fix) => {
    const token = attachAsBefore();
    before();
    expect(await finding("agent-http")).toMatchObject({ state: "fail", fix, detail: expect.stringContaining(settings) });
    const renew = expect.stringContaining("An older version attached claude-code. To renew the hooks: hookline upgrade");
    expect(await hookline("upgrade", "--check")).toMatchObject({ code: 1, err: renew });
    expect(textOf(settings)).toContain(token);
    const { code, err } = await hookline("upgrade");
    expect([code, err]).toEqual([0, expect.stringContaining("The key that was in its settings no longer works.")]);
    expect(textOf(settings)).not.toMatch(/Bearer/);
    expect(await post("/api/agents/claude-code/Notification?plain=1", token, {})).toBe(401);
    expect(await denied()).toContain("(rule no-rm): not here.");
    expect((await hookline("upgrade", "--check")).code).toBe(0);
  });

  it("keeps its own key, and hooks that its user changed, at hookline upgrade", async () => {
    await hookline("attach", "claude-code", "--http");
    const text = textOf(settings);
    expect(await hookline("upgrade")).toMatchObject({ code: 0 });
    expect(textOf(settings)).toBe(text);
    await hookline("attach", "claude-code");
    writeFileSync(settings, "{}");
    expect(await hookline("upgrade")).toMatchObject({ code: 0 });
    expect(textOf(settings)).toBe("{}");
  });

  it("gets the script of this version by hookline upgrade", async () => {
    await hookline("attach", "claude-code", "--strict");
    const [name = ""] = textOf(settings).match(/claude-code-strict\.\w+\.pl/) ?? [];
    // An older version wrote another text, and so another name.
    writeFileSync(settings, textOf(settings).replaceAll(name, "claude-code-strict.0123456789ab.pl"));
    writeFileSync(
      join(folder, "installed.json"),
      textOf(join(folder, "installed.json")).replaceAll(name, "claude-code-strict.0123456789ab.pl"),
    );
    expect(await hookline("upgrade")).toMatchObject({ code: 0, err: expect.stringContaining("Its hooks are renewed") });
    expect(textOf(settings)).toContain(name);
    expect(await denied()).toContain("(rule no-rm): not here.");
  });

  it("has a key of its own after a rotation, in a file that is its owner's", async () => {
    const token = attachAsBefore();
    await hookline("token", "rotate");
    expect(textOf(settings)).not.toContain(token);
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    expect(await denied()).toContain("(rule no-rm): not here.");
  });
});

it("lets another user of the machine read nothing of it", () => {
  if (process.geteuid?.() !== 0) return;
  const { stdout } = spawnSync("find", [home.state, "-perm", "/077"], { encoding: "utf8" });
  expect(stdout).toBe("");
});

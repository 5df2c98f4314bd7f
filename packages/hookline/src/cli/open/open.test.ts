import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.ts";
import { until } from "../../../../../test/support/http-hub.ts";

const PAGE_LINK = /^http:\/\/h[a-z2-7]{16}\.localhost:\d+\/login#[\w-]{43}$/;

function home() {
  const made = createHomeInProcess();
  onTestFinished(() => made.close());
  return made;
}

/** As a browser would: no other program finds the page's name, which leads to this machine. */
async function login(link: string): Promise<{ readonly status: number; readonly scopes: readonly string[] }> {
  const { host, port, hash } = new URL(link);
  const headers = { host, "content-type": "application/json" };
  const outgoing = request({ host: "127.0.0.1", port, method: "POST", path: "/api/login", headers, agent: false });
  outgoing.end(JSON.stringify({ code: hash.slice(1) }));
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const { scopes } = (await json(answer)) as { readonly scopes: readonly string[] };
  return { status: answer.statusCode ?? 0, scopes };
}

describe("hookline open", () => {
  it("prints a link that is good once, and may approve only if it is told to", async () => {
    const { run } = home();
    expect(await run("open")).toMatchObject({ code: 4, err: expect.stringContaining("hookline up --detach") });
    expect((await run("up", "--detach", "--port", "0")).code).toBe(0);
    for (const [flags, scopes] of [
      [[], ["read"]],
      [["--read-only"], ["read"]],
      [["--approve"], ["read", "approve"]],
    ] as const) {
      const { code, out, err } = await run("open", ...flags);
      expect([code, out.trim()]).toEqual([0, expect.stringMatching(PAGE_LINK)]);
      expect(err).not.toContain("#");
      expect(await login(out.trim())).toEqual({ status: 200, scopes });
      expect(await login(out.trim())).toMatchObject({ status: 401 });
    }
    expect(await run("open", "--approve", "--read-only")).toMatchObject({ code: 2, out: "" });
  });

  it("puts no code on a command line, where other users see it, and leaves none in files that they can read", async () => {
    const { env, state, write, runWith } = home();
    const seen = join(state, "..", "opened");
    const browser = write("bin/xdg-open", `#!/bin/sh\nprintf '%s' "$*" > '${seen}.tmp' && mv '${seen}.tmp' '${seen}'\n`);
    const { chmodSync } = await import("node:fs");
    chmodSync(browser, 0o755);
    const path = { env: { PATH: `${join(browser, "..")}:${env.PATH}` } };
    expect((await runWith(path, "up", "--detach", "--port", "0", "--open")).code).toBe(0);
    await until(() => readdirSync(join(state, "..")).includes("opened"));
    const opened = readFileSync(seen, "utf8");
    expect(opened).toMatch(/^file:\/\/\/.*\/open\.html$/);
    const file = new URL(opened).pathname;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, link = ""] = /url=([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
    expect(await login(link)).toEqual({ status: 200, scopes: ["read"] });
    expect(readFileSync(join(state, "hub.log"), "utf8")).not.toContain(new URL(link).hash.slice(1));
  });
});

describe("hookline logout", () => {
  it("signs every page out", async () => {
    const { run } = home();
    await run("up", "--detach", "--port", "0");
    const link = (await run("open")).out.trim();
    expect(await login(link)).toMatchObject({ status: 200 });
    const unused = (await run("open")).out.trim();
    expect(await run("logout")).toMatchObject({ code: 0, err: expect.stringContaining("1 login ended") });
    expect(await login(unused)).toMatchObject({ status: 401 });
    const after = (await run("open")).out.trim();
    expect([after, new URL(after).host === new URL(link).host]).toEqual([expect.stringMatching(PAGE_LINK), false]);
    const plain = (await run("open", "--host", "127.0.0.1", "--approve")).out.trim();
    expect(plain).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login#/);
    expect(await login(plain)).toEqual({ status: 200, scopes: ["read", "approve"] });
    expect(await run("open", "--host", "192.0.2.7")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("hookline up --host"),
    });
  });
});

describe("hookline up", () => {
  it("waits for a hub that is still stopping, says so, and starts", async () => {
    const { run, start, state } = home();
    await run("up", "--detach", "--port", "0");
    await run("down");
    const lock = fileURLToPath(new URL("../../../dist/machine/lock.js", import.meta.url));
    const script = `const { takeLock } = await import(${JSON.stringify(lock)});
      takeLock(${JSON.stringify(join(state, "hub.lock"))}, {}); console.log("held"); setInterval(() => {}, 1000);`;
    const old = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void old.kill("SIGKILL"));
    await once(old.stdout, "data");
    const up = start("up", "--detach", "--port", "0");
    await until(() => up.err.includes(`process ${old.pid}) is stopping`));
    old.kill("SIGKILL");
    expect((await up.ended).code).toBe(0);
    expect((await run("status")).code).toBe(0);
  });
});

describe("POST /api/demo", () => {
  it("runs the scripted agent once at a time", async () => {
    const { run, state } = home();
    await run("up", "--detach", "--port", "0");
    const { url } = JSON.parse(readFileSync(join(state, "hub.json"), "utf8"));
    const { token } = JSON.parse(readFileSync(join(state, "operator.json"), "utf8"));
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const start = () => fetch(`${url}/api/demo`, { method: "POST", headers, body: "{}" });
    expect([(await start()).status, (await start()).status]).toEqual([202, 409]);
    const sources = async () => JSON.stringify(await (await fetch(`${url}/api/sessions`, { headers })).json());
    await until(async () => (await sources()).includes("demo-agent"));
  });
});

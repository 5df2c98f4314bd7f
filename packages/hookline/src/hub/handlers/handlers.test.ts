import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { block, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { type Hub, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { denying, hookYaml, putFiles } from "../../../../../test/support/hook-files.ts";
import { until } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import type { HandlersAnswer } from "../protocol.js";

const TOML = `# mine
[[rule]]
name = "no-push"
event = "tool:before"
match = "tool.input.command contains 'push'"
do = "block"
message = "not today"

[[rule]]
name = "watch"
event = "tool:after"
do = "notify"
message = "a call is over"
`;

async function startWith(files: { readonly [path: string]: string }, mode: "plain" | "protect" = "plain") {
  const home = testFolder();
  const config = join(home, "config/hookline.toml");
  putFiles(home, { "config/hookline.toml": TOML, ...files });
  for (const name of ["state", "run"]) mkdirSync(join(home, name), { mode: 0o700 });
  const hub = await startHub({ state: join(home, "state"), runtime: join(home, "run"), config, port: 0, mode, onProblem: () => {} });
  onTestFinished(() => hub.close());
  return { home, config, hub };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever an answer holds.
async function ask(hub: Hub, path: string, body?: object): Promise<{ readonly status: number; readonly json: any }> {
  const answer = await fetch(`${hub.file.url}${path}`, {
    headers: { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}

const push = { event: "tool:before", payload: { tool: { name: "Bash", input: { command: "git push" } } } };
const verdictOf = async (hub: Hub) => (await ask(hub, "/api/decide", push)).json.verdict;

describe("POST /api/handlers/:owner", () => {
  it("switches a rule off and on, in its file and at once, and nothing else in it", async () => {
    const { hub, config } = await startWith({});
    const turn = (enabled: unknown, name: unknown = "no-push") => ask(hub, "/api/handlers/rules", { enabled, name });
    expect(await verdictOf(hub)).toBe("deny");
    expect(await turn(false)).toMatchObject({ status: 200, json: { enabled: false, file: config } });
    expect(await verdictOf(hub)).toBe("pass");
    expect(readFileSync(config, "utf8")).toBe(TOML.replace('name = "no-push"\n', 'name = "no-push"\nenabled = false\n'));
    expect((await ask(hub, "/api/handlers")).json.rules).toMatchObject([
      { name: "no-push", enabled: false },
      { name: "watch", enabled: true },
    ]);
    await turn(true);
    expect(await verdictOf(hub)).toBe("deny");
    expect((await turn(false, "nobody")).status).toBe(404);
    for (const wrong of ["no", 1, null]) expect((await turn(wrong)).status).toBe(400);
    expect((await turn(false, 7)).status).toBe(400);
  });

  it("does not say that it has done what the hub has not taken up", async () => {
    const { hub, config } = await startWith({});
    writeFileSync(config, `${TOML}[[rule]]\nname = "half"\n`);
    const { status, json } = await ask(hub, "/api/handlers/rules", { enabled: false, name: "no-push" });
    expect([status, json.error.code, json.error.message]).toEqual([409, "HL_CONFIG", expect.stringContaining("stay as they were")]);
    expect(await verdictOf(hub)).toBe("deny");
  });

  it("does not switch another rule that has come to stand in its line", async () => {
    const { hub, config } = await startWith({});
    const [first = "", second = ""] = TOML.split("\n\n");
    writeFileSync(config, `# mine\n${second.trimEnd()}\n\n${first.replace("# mine\n", "")}\n`);
    expect((await ask(hub, "/api/handlers/rules", { enabled: false, name: "no-push" })).status).toBe(200);
    expect((await ask(hub, "/api/handlers")).json.rules).toMatchObject([
      { name: "watch", enabled: true },
      { name: "no-push", enabled: false },
    ]);
  });

  it("accepts the switch of the rule that is in force, and nothing else that waits in it", async () => {
    const { hub, config } = await startWith({}, "protect");
    const { handlers } = hub.parts;
    const which = { owner: "rules", name: "no-push" };
    await handlers.turn(which, false);
    expect(await verdictOf(hub)).toBe("pass");
    await handlers.turn(which, true);
    expect(await verdictOf(hub)).toBe("deny");
    writeFileSync(config, readFileSync(config, "utf8").replace("contains 'push'", "contains 'pull'"));
    await expect(handlers.turn(which, true)).rejects.toMatchObject({ code: "HL_NOT_SHOWN", fix: { run: "hookline policy diff" } });
    expect(await verdictOf(hub)).toBe("deny");
    expect((await ask(hub, "/api/policy")).json).toMatchObject({ changes: [{ id: "rule:no-push" }] });
  });

  it("switches a hook's folder, but none of a project's and none that is not there", async () => {
    const { hub, home } = await startWith({
      "config/hooks/guard/HOOK.yaml": hookYaml("guard"),
      "config/hooks/guard/handler.mjs": denying("the guard says no"),
    });
    const { hooks } = (await ask(hub, "/api/handlers")).json;
    const owner = encodeURIComponent(hooks[0].id);
    const file = join(home, "config/hooks/guard/HOOK.yaml");
    expect(await ask(hub, `/api/handlers/${owner}`, { enabled: false })).toMatchObject({ status: 200, json: { file } });
    expect(readFileSync(file, "utf8")).toContain("enabled: false");
    expect((await ask(hub, "/api/handlers")).json.hooks).toMatchObject([{ name: "guard", state: "disabled" }]);
    expect((await ask(hub, "/api/handlers/test", { owner: hooks[0].id })).status).toBe(409);
    await ask(hub, `/api/handlers/${owner}`, { enabled: true });
    expect((await ask(hub, "/api/handlers/test", { owner: hooks[0].id, event: "PreToolUse" })).json).toMatchObject({
      event: "tool:before",
      verdict: "deny",
      reason: "the guard says no",
      wasAsked: true,
      errors: [],
    });
    for (const name of ["..%2f..%2fx", "__proto__", "nobody"])
      expect((await ask(hub, `/api/handlers/${name}`, { enabled: false })).status).toBe(404);
  });
});

describe("POST /api/handlers/test", () => {
  it("runs a rule on a sample, and stores nothing", async () => {
    const { hub } = await startWith({});
    const test = (more: object) => ask(hub, "/api/handlers/test", { owner: "rules", ...more });
    expect((await test({ name: "no-push" })).json).toMatchObject({
      event: "tool:before",
      verdict: "deny",
      reason: "not today",
      wasAsked: true,
    });
    expect((await test({ name: "no-push", event: "tool:after" })).json).toMatchObject({ verdict: "seen", wasAsked: false });
    expect((await test({ name: "no-push", event: "no such event" })).status).toBe(400);
    expect([(await test({})).status, (await test({ name: "x" })).status, (await test({ name: 1 })).status]).toEqual([404, 404, 400]);
    expect((await ask(hub, "/api/status")).json.store.events).toBe(0);
  });
});

describe("GET /api/sources/:instance/handlers", () => {
  it("is what is registered in a process on the line, with its counters; what the hub's rules did for it is theirs", async () => {
    const { hub, home } = await startWith({});
    const bus = createBus({ source: "my-agent", onError: () => {} });
    bus.on("tool:before", () => block("no"), { name: "own", tool: "x", health: () => ({ state: "running" }) });
    const line = connectToHub(bus, { folder: join(home, "state") });
    onTestFinished(async () => void (await line.close()));
    await until(() => line.state === "attached");
    await bus.decide("tool:before", { tool: { name: "x", input: {} } });
    expect((await bus.decide("tool:before", push.payload)).verdict).toBe("deny");
    const path = `/api/sources/${bus.source.instance}/handlers`;
    type Row = HandlersAnswer["handlers"][number];
    const windowOf = async (from: string, name: string) =>
      (await ask(hub, from)).json.handlers.find((row: Row) => row.name === name && row.event === "tool:before")?.window;
    await until(async () => (await windowOf("/api/handlers", "no-push"))?.calls === 1);
    expect(await windowOf("/api/handlers", "no-push")).toMatchObject({ calls: 1, denied: 1, failed: 0 });
    expect(await windowOf(path, "own")).toMatchObject({ calls: 1, denied: 1, p95Ms: expect.any(Number) });
    expect(await windowOf(path, "hub")).toMatchObject({ calls: 1, denied: 1, p95Ms: expect.any(Number) });
    const [first, second] = await Promise.all([ask(hub, path), ask(hub, path)]);
    const own = first.json.handlers.find(({ name }: { name: string }) => name === "own");
    expect(own).toMatchObject({ event: "tool:before", health: { state: "running" }, stats: { calls: 1, denies: 1, neverFired: false } });
    expect(second.json.handlers).toHaveLength(first.json.handlers.length);
    expect((await ask(hub, "/api/sources/nobody/handlers")).status).toBe(404);
  });
});

describe("a hub that starts again", () => {
  it("knows who was logged in, at the same address", async () => {
    const { hub, home, config } = await startWith({});
    // Fetch finds no name of the page's: here it is called by the address.
    const { url } = (await ask(hub, "/api/login/link", { scopes: ["read", "approve"], host: "127.0.0.1" })).json;
    expect(new URL(url).origin).toBe(hub.file.url);
    const login = await fetch(`${hub.file.url}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: new URL(url).hash.slice(1) }),
    });
    const headers = {
      cookie: login.headers.get("set-cookie")?.split(";")[0] ?? "",
      "hookline-key": ((await login.json()) as { key: string }).key,
    };
    const port = Number(new URL(hub.file.url).port);
    await hub.close();
    const again = await startHub({ state: join(home, "state"), runtime: join(home, "run"), config, port, onProblem: () => {} });
    onTestFinished(() => again.close());
    expect(await (await fetch(`${again.file.url}/api/me`, { headers })).json()).toMatchObject({ scopes: ["read", "approve"] });
    await again.close();
    const elsewhere = await startHub({ state: join(home, "state"), runtime: join(home, "run"), config, port: 0, onProblem: () => {} });
    onTestFinished(() => elsewhere.close());
    if (elsewhere.file.url !== again.file.url) expect((await fetch(`${elsewhere.file.url}/api/me`, { headers })).status).toBe(401);
  });
});

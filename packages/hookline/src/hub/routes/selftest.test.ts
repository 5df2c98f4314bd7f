import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { startHttpHub, until } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.js";
import type { SelftestAnswer } from "../protocol.js";

const PATH = "/api/selftest";

describe("POST /api/selftest", () => {
  it("is the operator's, and gives what came of it", async () => {
    const answer: SelftestAnswer = {
      ok: false,
      agents: ["codex"],
      guards: [{ name: "g", kind: "rule", state: "no canary", canaries: [] }],
    };
    const { ask, parts } = await startHttpHub({}, () => ({ selftest: async () => answer }));
    expect(await ask(PATH, { body: "{}" })).toMatchObject({ status: 200, json: answer });
    expect(await ask(PATH, { body: "{}", token: parts.tokens.agent })).toMatchObject({ status: 403 });
    expect(await ask(PATH)).toMatchObject({ status: 405 });
  });

  it("stops when the client goes away", async () => {
    const signals: AbortSignal[] = [];
    const { port, parts } = await startHttpHub({}, () => ({
      selftest: (signal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    }));
    const headers = { authorization: `Bearer ${parts.tokens.operator}`, "content-type": "application/json" };
    const gone = new AbortController();
    const asked = fetch(`http://127.0.0.1:${port}${PATH}`, { method: "POST", body: "{}", headers, signal: gone.signal });
    await until(() => signals.length === 1);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await until(() => signals[0]?.aborted === true);
  });

  it("tries the hub's own guards as the file has them now, and leaves no trace", async () => {
    const folder = testFolder();
    const [path, state] = [join(folder, "hookline.toml"), join(folder, "state")];
    const counter = 'let calls = 0;\nexport const handle = () => ({ decision: "deny", reason: "call " + ++calls });\n';
    writeFileSync(join(folder, "guard.mjs"), counter, { mode: 0o600 });
    const hook = '[[hook]]\nname = "guard"\nevent = "tool:before"\nmodule = "./guard.mjs"\ncanary = "git push -f"\n';
    const tell = '[[rule]]\nname = "tell"\nevent = "*"\ndo = "notify"\nmessage = "look"\n';
    writeFileSync(path, `${hook}${tell}`, { mode: 0o600 });
    const hub = await startHub({ state, port: 0, config: path, onProblem: () => {} });
    onTestFinished(() => hub.close());
    const call = { tool: { name: "Bash", callId: "1", input: { command: "ls" } } };
    expect(await hub.parts.bus.decide("tool:before", call)).toMatchObject({ reason: "call 1" });

    const { signal } = new AbortController();
    expect(await hub.parts.selftest(signal)).toMatchObject({ ok: true, guards: [{ name: "guard", canaries: [{ reason: "call 2" }] }] });
    expect(hub.parts.bus.stats().map(({ name, calls }) => [name, calls])).toContainEqual(["guard", 1]);
    writeFileSync(path, `${hook}[[rule]]\nname = "new"\ndo = "block"\nexamples = { catches = ["x"] }\n`, { mode: 0o600 });
    const { guards } = await hub.parts.selftest(signal);
    expect(guards.map(({ name, state: how }) => [name, how])).toEqual([
      ["new", "denied"],
      ["guard", "denied"],
    ]);
    expect((await hub.parts.store.stats()).events).toBe(0);
  });
});

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ask as askPerson, block, inject, modify } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { startHttpHub, until } from "../../../../../test/support/http-hub.ts";

const PATH = "/api/decide";
const payload = { tool: { name: "bash", input: { command: "ls" } } };

describe("POST /api/decide", () => {
  it("gives what the hub's guards decide, for the event in any spelling", async () => {
    const { ask, bus, parts } = await startHttpHub();
    const decide = async (event: string) => (await ask(PATH, { body: JSON.stringify({ event, payload }), token: parts.tokens.agent })).json;
    expect(await decide("tool:before")).toEqual({
      verdict: "pass",
      allowed: true,
      payload,
      modified: false,
      endLoop: false,
      injections: [],
      reminders: [],
      trail: [],
    });
    bus.on("tool:before", () => block("no"), { name: "no-rm", tool: "bash" });
    expect(await decide("PreToolUse")).toMatchObject({
      verdict: "deny",
      allowed: false,
      reason: "no",
      by: "no-rm",
      trail: [{ actor: { name: "no-rm" }, action: "deny" }],
    });
    bus.clear();
    bus.on("tool:before", ({ payload: given }) => [
      modify({ ...given, tool: { ...given.tool, input: { command: "ls -l" } } }),
      inject("said"),
    ]);
    expect(await decide("pre_tool_call")).toMatchObject({
      allowed: true,
      modified: true,
      payload: { tool: { input: { command: "ls -l" } } },
      injections: ["said"],
    });
    bus.clear();
    bus.on("tool:before", () => askPerson("sure?"));
    expect(await decide("tool:before")).toMatchObject({ verdict: "deny", allowed: false, cause: "HL_NO_APPROVER" });
  });

  it("hands on the session, and commands are gates too", async () => {
    const { ask, bus } = await startHttpHub();
    const seen: unknown[] = [];
    bus.on("command:*", ({ name, session }) => void seen.push([name, session]));
    await ask(PATH, { body: JSON.stringify({ event: "command:reset", payload: {}, session: { id: "s1", parentId: "s0" } }) });
    expect(seen).toEqual([["command:reset", { id: "s1", parentId: "s0" }]]);
  });

  it("denies when the time is up, when a guard fails closed or aborts, and when a rewrite is not JSON", async () => {
    const { ask, bus } = await startHttpHub();
    const decide = async (timeoutMs?: number) =>
      (await ask(PATH, { body: JSON.stringify({ event: "tool:before", payload, timeoutMs }) })).json;
    bus.on("tool:before", () => sleep(60_000, undefined, { ref: false }) as Promise<undefined>, { name: "slow", timeoutMs: 0 });
    expect(await decide(20)).toMatchObject({
      verdict: "deny",
      allowed: false,
      by: "slow",
      reason: `Handler "slow" did not answer "tool:before" in time. The hub's guards did not decide within 20 ms.`,
      cause: "HL_TIMEOUT",
      payload,
    });
    for (const onFailure of ["closed", "abort"] as const) {
      bus.clear();
      bus.on("tool:before", () => Promise.reject(new Error("broken")), { onFailure });
      expect(await decide()).toMatchObject({ verdict: "deny", allowed: false, cause: expect.stringMatching(/^HL_/) });
    }
    bus.clear();
    bus.on("tool:before", ({ payload: given }) => modify({ ...given, tool: { ...given.tool, input: { big: 1n } } }));
    expect(await decide()).toMatchObject({ verdict: "deny", allowed: false, cause: "HL_BAD_MODIFY" });
  });

  it("aborts the guards when the client goes away", async () => {
    const { bus, port, parts } = await startHttpHub();
    let state = "";
    bus.on(
      "tool:before",
      (event) => {
        state = "asked";
        return new Promise((resolve) => {
          event.signal.addEventListener("abort", () => {
            state = "aborted";
            resolve(undefined);
          });
        });
      },
      { timeoutMs: 0 },
    );
    const headers = { authorization: `Bearer ${parts.tokens.agent}`, "content-type": "application/json" };
    const client = request({ host: "127.0.0.1", port, path: PATH, method: "POST", headers, agent: false }).on("error", () => {});
    client.end(JSON.stringify({ event: "tool:before", payload, timeoutMs: 600_000 }));
    await until(() => state === "asked");
    client.destroy();
    await until(() => state === "aborted");
  });

  it("refuses bad questions with 400 and says what is wrong", async () => {
    const { ask } = await startHttpHub();
    const questions: readonly (readonly [body: unknown, code: string, message: RegExp])[] = [
      [{ event: "tool:befor", payload }, "HL_UNKNOWN_EVENT", /Did you mean "tool:before"/],
      [{ event: "tool:after", payload }, "HL_WRONG_KIND", /"tool:after" is not a gate/],
      [{ event: "myapp:thing", payload }, "HL_WRONG_KIND", /has no event/],
      [{ payload }, "HL_BAD_REQUEST", /"event"/],
      [{ event: 7, payload }, "HL_BAD_REQUEST", /"event"/],
      [{ event: "tool:before" }, "HL_BAD_REQUEST", /"payload"/],
      [{ event: "tool:before", payload, timeoutMs: 0 }, "HL_BAD_REQUEST", /"timeoutMs"/],
      [{ event: "tool:before", payload, timeoutMs: 600_001 }, "HL_BAD_REQUEST", /"timeoutMs"/],
      [{ event: "tool:before", payload, timeoutMs: "5" }, "HL_BAD_REQUEST", /"timeoutMs"/],
      [{ event: "tool:before", payload, session: "s" }, "HL_BAD_REQUEST", /"session.id"/],
      [{ event: "tool:before", payload, session: null }, "HL_BAD_REQUEST", /"session.id"/],
      [[], "HL_BAD_REQUEST", /object/],
    ];
    for (const [body, code, message] of questions)
      expect(await ask(PATH, { body: JSON.stringify(body) })).toMatchObject({
        status: 400,
        json: { error: { code, message: expect.stringMatching(message) } },
      });
    expect((await ask(PATH, { body: JSON.stringify({ event: "tool:before", payload: "x".repeat(1024 * 1024) }) })).status).toBe(413);
    expect((await ask(PATH, { body: "{}", headers: { "content-type": "application/x-ndjson" } })).status).toBe(415);
  });
});

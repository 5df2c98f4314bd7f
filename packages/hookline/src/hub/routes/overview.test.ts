import type { Actor } from "@hookline/core";
import type { Envelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { type HttpHub, makeEnvelope, startHttpHub } from "../../../../../test/support/http-hub.ts";

const MINUTE = 60_000;

async function put(hub: HttpHub, ...envelopes: Envelope[]): Promise<void> {
  const accepted = envelopes.map((envelope) => hub.parts.ingest.acceptEnvelope(envelope));
  await hub.parts.ingest.append(
    accepted.map((one) => {
      if ("code" in one) throw new Error(one.reason);
      return one;
    }),
  );
}

function gate(verdict: "pass" | "allow" | "ask" | "deny", more: Partial<NonNullable<Envelope["decision"]>> = {}): Envelope["decision"] {
  return { verdict, modified: false, endLoop: false, ...more };
}

function step(name: string, action: string, durationMs?: number, kind: Actor["kind"] = "guard") {
  return { actor: { kind, name }, stage: "guard", round: 0, action, ...(durationMs !== undefined && { durationMs }) };
}

const call = (name: string, at: number, decision: Envelope["decision"], app = "agent") =>
  makeEnvelope({
    event: "tool:before",
    at: new Date(at).toISOString(),
    source: { app, host: "h", pid: 1, instance: `${app}-1` },
    payload: { tool: { name, input: {} } },
    ...(decision !== undefined && { decision }),
  });

describe("GET /api/overview", () => {
  it("has what went on by the minute, and who did most", async () => {
    const hub = await startHttpHub();
    const now = Date.now();
    const ann: Actor = { kind: "person", name: "Ann", at: "hub" };
    await put(
      hub,
      call("bash", now, gate("deny", { by: "no-rm", trail: [step("no-rm", "deny", 4)] })),
      call("bash", now, gate("pass", { trail: [step("no-rm", "pass", 1), step("other", "pass", 1)] })),
      // A person was asked, and said yes or no.
      call("edit", now, gate("allow", { by: "Ann", actor: ann, trail: [step("careful", "ask", 2)] }), "codex"),
      call(
        "edit",
        now,
        gate("deny", { by: "Ann", actor: ann, trail: [step("careful", "ask", 2), { ...step("", "deny"), actor: ann }] }),
        "codex",
      ),
      call("edit", now - 5 * MINUTE, gate("ask", { by: "careful" })),
      // One guard asked, and another denied before a person was asked.
      call("edit", now, gate("deny", { by: "no-rm", trail: [step("careful", "ask", 2), step("no-rm", "deny")] }), "codex"),
      // What else is told of a call is no other call; one that is told of when it has ended is one.
      ...["tool:after", "tool:result"].map((event) => ({ ...call("bash", now, undefined), event })),
      { ...call("read", now, undefined), event: "tool:after" },
      call("old", now - 120 * MINUTE, gate("deny", { by: "old" })),
      call("clock", now + 600 * MINUTE, undefined),
    );
    const { json } = await hub.ask("/api/overview?minutes=60");
    expect(json).toMatchObject({
      stepMs: MINUTE,
      topTools: [
        { tool: "edit", count: 4, denied: 2 },
        { tool: "bash", count: 2, denied: 1 },
        { tool: "read", count: 1, denied: 0 },
      ],
    });
    expect(json.topRules).toEqual([
      { rule: "careful", denied: 1, asked: 4 },
      { rule: "no-rm", denied: 2, asked: 0 },
    ]);
    expect(json.agents).toEqual(
      expect.arrayContaining([
        { app: "agent", lastAt: now, events: 6, online: 0 },
        { app: "codex", lastAt: now, events: 3, online: 0 },
      ]),
    );
    expect(json.agents.map(({ app }: { app: string }) => app)).not.toContain("hookline-hub");
    const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
    for (const name of ["events", "denied", "asked"] as const) expect(json.series[name]).toHaveLength(60);
    expect([sum(json.series.events), sum(json.series.denied), sum(json.series.asked)]).toEqual([9, 3, 4]);
    const busy = json.series.events.findIndex((count: number) => count === 8);
    expect(json.from + busy * MINUTE).toBe(Math.floor(now / MINUTE) * MINUTE);
    expect([json.latency.p50Ms[busy], json.latency.p99Ms[busy]]).toEqual([2, 4]);
    expect(json.latency.p50Ms.filter((ms: number | null) => ms !== null)).toHaveLength(1);
  });

  it("has coarser steps for more time, and nothing where nothing was", async () => {
    const hub = await startHttpHub();
    for (const [minutes, stepMs, steps] of [
      [1, MINUTE, 1],
      [240, 2 * MINUTE, 120],
      [1_440, 15 * MINUTE, 96],
      [44_640, 720 * MINUTE, 62],
    ]) {
      const { json } = await hub.ask(`/api/overview?minutes=${minutes}`);
      expect([json.stepMs, json.series.events.length, json.latency.p99Ms.length]).toEqual([stepMs, steps, steps]);
      expect([json.topTools, json.topRules, json.agents]).toEqual([[], [], []]);
    }
    for (const minutes of ["0", "44641", "x", "-1", "1.5"]) expect((await hub.ask(`/api/overview?minutes=${minutes}`)).status).toBe(400);
  });

  it("counts the same by the minute and by the hour", async () => {
    const hub = await startHttpHub();
    const now = Date.now();
    const calls = Array.from({ length: 40 }, (_, index) =>
      call("bash", now - index * 7 * MINUTE, gate(index % 4 === 0 ? "deny" : "pass", { by: "no-rm" })),
    );
    await put(hub, ...calls);
    const [fine, coarse] = [(await hub.ask("/api/overview?minutes=1440")).json, (await hub.ask("/api/overview?minutes=20000")).json];
    expect([fine.stepMs, coarse.stepMs]).toEqual([15 * MINUTE, 360 * MINUTE]);
    for (const { topTools, topRules, agents } of [fine, coarse])
      expect([topTools, topRules, agents]).toEqual([
        [{ tool: "bash", count: 40, denied: 10 }],
        [{ rule: "no-rm", denied: 10, asked: 0 }],
        [{ app: "agent", lastAt: now, events: 40, online: 0 }],
      ]);
    for (const { series } of [fine, coarse]) expect(series.events.reduce((sum: number, count: number) => sum + count, 0)).toBe(40);
    await hub.parts.store.retain({ maxAgeMs: 0 });
    expect((await hub.ask("/api/overview?minutes=20000")).json.topTools.length).toBeLessThanOrEqual(1);
  });

  it("is not crowded out by names that occur once, and takes any name for text", async () => {
    const hub = await startHttpHub();
    const names = ["__proto__", "x'; DROP TABLE rollup; --", "n".repeat(1_000)];
    await put(
      hub,
      ...Array.from({ length: 600 }, (_, index) => call(`once-${index}`, Date.now(), undefined)),
      ...names.map((name) => call(name, Date.now(), undefined)),
    );
    await put(hub, ...names.map((name) => call(name, Date.now(), undefined)));
    const { topTools } = (await hub.ask("/api/overview?minutes=2")).json;
    expect(topTools[0]).toMatchObject({ tool: "(others)" });
    expect(topTools.length).toBe(10);
    expect(topTools.every(({ tool }: { tool: string }) => tool.length <= 200)).toBe(true);
  });
});

describe("GET /api/sessions", () => {
  it("knows the agent, the latest process, and what it used", async () => {
    const hub = await startHttpHub();
    const session = { id: "s1" };
    const used = (event: string, usage: object) => makeEnvelope({ event, session, payload: { usage } });
    await put(
      hub,
      makeEnvelope({ event: "session:start", session, payload: { agent: { name: "Codex" } } }),
      used("llm:after", { inputTokens: 10, outputTokens: 2 }),
      used("llm:after", { inputTokens: 5, outputTokens: 1, costUsd: "much" }),
      // The turn tells of the same tokens.
      used("turn:end", { inputTokens: 15, outputTokens: 3, costUsd: 0.25 }),
    );
    await put(hub, used("turn:end", { inputTokens: 5, costUsd: 0.25, outputTokens: -1 }), makeEnvelope({ session: { id: "s2" } }));
    await put(
      hub,
      makeEnvelope({
        session,
        source: { app: "agent", host: "h", pid: 2, instance: "i2" },
        decision: gate("allow", { trail: [step("careful", "ask", 1)] }) as NonNullable<Envelope["decision"]>,
      }),
    );
    const { sessions } = (await hub.ask("/api/sessions")).json;
    expect(sessions.find(({ id }: { id: string }) => id === "s1")).toMatchObject({
      agent: "Codex",
      source: "i2",
      app: "agent",
      events: 6,
      asked: 1,
      denied: 0,
      inputTokens: 15,
      outputTokens: 3,
      costUsd: 0.5,
    });
    expect(Object.keys(sessions.find(({ id }: { id: string }) => id === "s2"))).not.toEqual(expect.arrayContaining(["agent", "costUsd"]));
  });
});

describe("GET /api/sessions/:id/timeline", () => {
  it("is made of turns, calls, workers and what is in them", async () => {
    const hub = await startHttpHub();
    let at = Date.parse("2026-01-01T00:00:00.000Z");
    const start = at;
    const tell = (event: string, payload: object, more: Partial<Envelope> = {}) => {
      at += 10;
      return makeEnvelope({ event, payload, session: { id: "s" }, at: new Date(at).toISOString(), ...more });
    };
    const tool = (callId: string, name = "bash") => ({ tool: { name, callId, input: {} } });
    const child = { session: { id: "w" } };
    await put(
      hub,
      tell("prompt:submit", { prompt: "go" }, { decision: gate("pass") as NonNullable<Envelope["decision"]> }),
      tell("agent:start", {}),
      tell("message:delta", { delta: "x" }),
      tell("tool:before", tool("1"), { decision: gate("pass", { trail: [step("g", "pass", 3)] }) as NonNullable<Envelope["decision"]> }),
      tell("tool:after", { ...tool("1"), status: "ok" }),
      tell("tool:before", tool("2", "rm"), { decision: gate("deny") as NonNullable<Envelope["decision"]> }),
      tell("worker:spawned", { worker: { id: "w", name: "helper" } }),
      tell("tool:before", tool("3", "grep"), child),
      tell("tool:after", { ...tool("3", "grep"), status: "error" }, child),
      tell("worker:completed", { worker: { id: "w", name: "helper" } }),
      tell("turn:end", {}),
      tell("tool:before", tool("4")),
    );
    const { json } = await hub.ask("/api/sessions/s/timeline");
    expect([json.session, json.isCut]).toEqual(["s", false]);
    const [prompt, turn, bash, rm, worker, grep, open] = json.spans;
    expect(prompt).toMatchObject({ kind: "gate", name: "prompt:submit", verdict: "pass", startAt: start + 10 });
    expect(turn).toMatchObject({ kind: "turn", startAt: start + 20, endAt: start + 110 });
    expect(bash).toMatchObject({
      kind: "tool",
      name: "bash",
      parentId: turn.id,
      startAt: start + 40,
      endAt: start + 50,
      status: "ok",
      gateMs: 3,
    });
    expect(rm).toMatchObject({ kind: "tool", name: "rm", verdict: "deny", status: "blocked", endAt: rm.startAt });
    expect(worker).toMatchObject({ kind: "worker", name: "helper", parentId: turn.id, endAt: start + 100, status: "completed" });
    expect(grep).toMatchObject({ kind: "tool", name: "grep", parentId: worker.id, status: "error" });
    expect([open.endAt, open.parentId]).toEqual([undefined, undefined]);
    expect((await hub.ask(`/api/events/${bash.eventId}`)).status).toBe(200);
    expect((await hub.ask("/api/sessions/s/timeline?limit=2")).json).toMatchObject({ isCut: true, spans: [{}, {}] });
    expect((await hub.ask("/api/sessions/nobody/timeline")).json).toEqual({ session: "nobody", spans: [], isCut: false });
  });

  it("knows what of a call was waiting for a person, and that one which was denied never ran", async () => {
    const hub = await startHttpHub();
    const start = Date.parse("2026-01-01T00:00:00.000Z");
    const tell = (event: string, ms: number, payload: object, decision?: Envelope["decision"]) =>
      makeEnvelope({
        event,
        payload,
        session: { id: "p" },
        at: new Date(start + ms).toISOString(),
        ...(decision !== undefined && { decision }),
      });
    const tool = (callId?: string) => ({ tool: { name: "bash", input: {}, ...(callId !== undefined && { callId }) } });
    const asked = (id: string, ms: number, eventId: string) => tell("approval:requested", ms, { approval: { id, eventId } });
    const replied = (id: string, ms: number) => tell("permission:replied", ms, { approval: { id } });
    const trail = [step("careful", "ask", 5)];
    await put(
      hub,
      // Asked again after an edit, there are two questions.
      asked("a1", 10, "call-1"),
      replied("a1", 1_010),
      asked("a2", 1_020, "call-1"),
      replied("a2", 1_120),
      { ...tell("tool:before", 0, tool("1"), gate("allow", { by: "Ann", trail })), id: "call-1" },
      tell("tool:after", 1_300, { ...tool("1"), status: "ok" }),
      // Two without a call id, at the same time; the answer is stored last.
      asked("a3", 2_010, "call-2"),
      tell("tool:before", 2_100, tool(), gate("pass")),
      { ...tell("tool:before", 2_000, tool(), gate("deny", { by: "Ann", trail })), id: "call-2" },
      tell("tool:after", 9_000, { ...tool(), status: "blocked" }),
      replied("a3", 4_010),
      asked("a4", 5_010, "prompt-1"),
      replied("a4", 5_060),
      { ...tell("prompt:submit", 5_000, {}, gate("allow", { by: "Ann", trail })), id: "prompt-1" },
      // One has no answer yet, and the other does not say what waits for it.
      asked("a5", 6_000, "call-1"),
      tell("approval:requested", 6_000, { approval: { id: "a6" } }),
    );
    const { spans } = (await hub.ask("/api/sessions/p/timeline")).json;
    const drawn = spans.filter(({ kind }: { kind: string }) => kind !== "other");
    expect(
      drawn.map(({ startAt, endAt, waitMs }: Record<string, number>) => [startAt, endAt, waitMs].map((ms) => ms && ms % 10_000)),
    ).toEqual([
      [start % 10_000, 1_300, 1_100],
      [2_000, 4_010, 2_000],
      [2_100, undefined, undefined],
      [5_000, 5_060, 50],
    ]);
    // What a call's own span tells is told once.
    expect(spans.length - drawn.length).toBe(2);
    expect(drawn[1]).toMatchObject({ verdict: "deny", status: "blocked", gateMs: 5 });
  });

  it("takes payloads of any shape", async () => {
    const hub = await startHttpHub();
    const session = { id: "odd/../%2F" };
    const payloads = [
      null,
      1,
      "x",
      [],
      { tool: null },
      { tool: { name: 1, callId: {} } },
      { worker: 7 },
      { worker: { id: "odd/../%2F" } },
      { approval: null },
      { approval: { id: { toString: 1 }, event: "x", payload: 1 } },
    ];
    const events = [
      "tool:before",
      "tool:after",
      "worker:spawned",
      "worker:completed",
      "turn:end",
      "agent:start",
      "approval:requested",
      "permission:replied",
    ];
    await put(hub, ...payloads.flatMap((payload) => events.map((event) => makeEnvelope({ event, session, payload }))));
    const { status, json } = await hub.ask(`/api/sessions/${encodeURIComponent(session.id)}/timeline`);
    expect([status, json.session, json.spans.length > 0]).toEqual([200, session.id, true]);
  });
});

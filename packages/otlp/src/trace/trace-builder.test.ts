import { createBus } from "@hookline/core";
import { connectSink, type Envelope } from "@hookline/core/sinks";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../../../../test/support/otlp-receiver.ts";
import { createOtlpSink, type OtlpSinkOptions } from "../otlp-sink.ts";
import { traceparentOf } from "./traceparent-of.ts";

const receiver: OtlpReceiver = await startOtlpReceiver();
afterAll(receiver.close);
beforeEach(() => {
  for (const list of [receiver.spans, receiver.metrics, receiver.logs, receiver.requests]) list.length = 0;
  receiver.answer({});
});

const START = Date.parse("2026-01-01T00:00:00.000Z");
const OWN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
let made = 0;

function tell(ms: number, event: string, payload: object = {}, more: Partial<Envelope> = {}): Envelope {
  return {
    v: 2,
    id: `event-${++made}`,
    seq: made,
    at: new Date(START + ms).toISOString(),
    event,
    source: { app: "claude-code", host: "laptop", pid: 7, instance: "i1" },
    session: { id: "s1" },
    payload,
    hops: [],
    ...more,
  };
}

function open(options: OtlpSinkOptions = {}) {
  return createOtlpSink({ url: receiver.url, env: {}, ...options });
}

async function sendAll(events: readonly Envelope[], options: OtlpSinkOptions = {}): Promise<Map<string, ReceivedSpan>> {
  const sink = open(options);
  expect(await sink.send(events, new AbortController().signal)).toEqual({ status: "sent" });
  await sink.close();
  return new Map(receiver.spans.map((span) => [span.name, span]));
}

const call = (callId: string, more: object = {}) => ({
  agent: { name: "coder" },
  tool: { name: "Bash", callId, input: { command: "ls" }, ...more },
});
const denied = {
  verdict: "deny" as const,
  reason: "not here",
  by: "no-rm",
  actor: { kind: "rule" as const, name: "no-rm" },
  modified: false,
  endLoop: false,
  trail: [
    { actor: { kind: "rule" as const, name: "other" }, stage: "guard", round: 0, action: "no-match" },
    { actor: { kind: "hook" as const, name: "scan" }, stage: "guard", round: 0, action: "pass", durationMs: 40 },
    { actor: { kind: "rule" as const, name: "no-rm" }, stage: "guard", round: 0, action: "deny", reason: "not here", durationMs: 2 },
  ],
};

const spent = { inputTokens: 200, cacheReadTokens: 900, cacheWriteTokens: 100, outputTokens: 80, costUsd: 0.004 };
const aSession = [
  tell(0, "session:start", { agent: { name: "coder" } }),
  tell(10, "prompt:submit", { agent: { name: "coder", model: "claude-opus-4-1" }, prompt: "List the files." }),
  tell(20, "llm:before", { agent: { model: "claude-opus-4-1" }, prompt: "List the files." }),
  tell(120, "llm:after", { agent: { model: "claude-opus-4-1" }, usage: spent }),
  tell(130, "tool:before", call("c1")),
  tell(230, "tool:after", { ...call("c1", { output: "a.txt" }), status: "ok" }),
  tell(240, "tool:before", call("c2"), { decision: denied }),
  tell(250, "compact:after"),
  tell(300, "finish:before", { message: "Done." }),
  tell(400, "session:end"),
];

describe.each([
  { protocol: "http/protobuf", compression: "gzip" },
  { protocol: "http/json", compression: "none" },
] as const)("over $protocol with $compression", (encoding) => {
  it("a session is one trace of nested spans with the names of the conventions", async () => {
    const spans = await sendAll(aSession, encoding);
    expect([...spans.keys()]).toEqual([
      "chat claude-opus-4-1",
      "execute_tool Bash",
      "guard scan",
      "guard no-rm",
      "invoke_agent coder",
      "session coder",
    ]);
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
    const [session, turn, chat] = ["session coder", "invoke_agent coder", "chat claude-opus-4-1"].map((name) => spans.get(name));
    const [ran, blocked] = receiver.spans.filter(({ name }) => name === "execute_tool Bash");
    expect(session).toMatchObject({
      parentSpanId: "",
      startMs: START,
      endMs: START + 400,
      resource: { "service.name": "claude-code", "host.name": "laptop" },
    });
    expect(turn).toMatchObject({ parentSpanId: session?.spanId, startMs: START + 10, endMs: START + 300 });
    expect(turn?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "coder",
      "gen_ai.conversation.id": "s1",
    });
    expect(turn?.events.map(({ name }) => name)).toEqual(["compact:after"]);
    // 3 is CLIENT, 1 is INTERNAL.
    expect(chat).toMatchObject({ kind: 3, parentSpanId: turn?.spanId, startMs: START + 20, endMs: START + 120 });
    expect(chat?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-opus-4-1",
      "hookline.cost.usd": 0.004,
    });
    expect(Number(String(chat?.attributes["gen_ai.usage.input_tokens"]))).toBe(1_200);
    expect(Number(String(chat?.attributes["gen_ai.usage.cache_read.input_tokens"]))).toBe(900);
    expect(Number(String(chat?.attributes["gen_ai.usage.cache_creation.input_tokens"]))).toBe(100);
    expect(ran).toMatchObject({ kind: 1, parentSpanId: turn?.spanId, startMs: START + 130, endMs: START + 230 });
    expect(ran?.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "Bash",
      "gen_ai.tool.call.id": "c1",
    });
    expect(blocked).toMatchObject({ status: { code: 2, message: "not here" }, startMs: START + 240, endMs: START + 282 });
    expect(blocked?.attributes).toMatchObject({ "error.type": "blocked", "hookline.verdict": "deny" });
    expect(spans.get("guard scan")).toMatchObject({ kind: 3, parentSpanId: blocked?.spanId, startMs: START + 240, endMs: START + 280 });
    expect(spans.get("guard no-rm")?.attributes).toMatchObject({ "hookline.guard.kind": "rule", "hookline.guard.action": "deny" });
  });

  it("tokens, costs, durations and decisions are metrics", async () => {
    await sendAll(aSession, encoding);
    const metrics = new Map(receiver.metrics.map((metric) => [metric.name, metric]));
    const byType = metrics
      .get("gen_ai.client.token.usage")
      ?.points.map(({ attributes, value }) => [attributes["gen_ai.token.type"], value]);
    expect(byType).toEqual([
      ["input", 1_200],
      ["output", 80],
    ]);
    expect(metrics.get("hookline.cost")?.points).toMatchObject([
      { value: 0.004, attributes: { "gen_ai.request.model": "claude-opus-4-1" } },
    ]);
    expect(metrics.get("gen_ai.execute_tool.duration")?.points.map(({ value }) => value)).toEqual([0.1, 0.042]);
    expect(metrics.get("gen_ai.client.operation.duration")).toMatchObject({
      unit: "s",
      temporality: 2,
      points: [{ count: 1, value: 0.1 }],
    });
    expect(metrics.get("gen_ai.client.operation.duration")?.points[0]?.buckets.reduce((sum, count) => sum + count)).toBe(1);
    expect(metrics.get("hookline.decisions")?.points).toMatchObject([
      { value: 1, attributes: { "hookline.event": "tool:before", "hookline.verdict": "deny", "hookline.guard.kind": "rule" } },
    ]);
  });
});

it("decisions have the names of the proposal if the environment asks for them", async () => {
  const spans = await sendAll(aSession, { env: { OTEL_SEMCONV_STABILITY_OPT_IN: "http, gen_ai_latest_experimental" } });
  expect(spans.get("run_guardrail no-rm")?.attributes).toMatchObject({
    "gen_ai.operation.name": "run_guardrail",
    "gen_ai.guardrail.component.name": "no-rm",
    "gen_ai.guardrail.target.type": "input",
    "gen_ai.guardrail.target.subtype": "tool_call",
    "gen_ai.guardrail.target.id": "c2",
    "gen_ai.guardrail.verdict.type": "deny",
    "gen_ai.guardrail.verdict.reason": "not here",
    "gen_ai.guardrail.action.type": "block",
    "gen_ai.guardrail.security.policy.rule.id": "no-rm",
  });
  expect(spans.get("run_guardrail scan")?.attributes["gen_ai.guardrail.verdict.type"]).toBe("allow");
});

it("prompts, answers and what tools get and return leave only if the operator wants it", async () => {
  await sendAll(aSession);
  expect(JSON.stringify(receiver.spans)).not.toMatch(/List the files|a\.txt|"ls"/);
  receiver.spans.length = 0;
  const spans = await sendAll(
    aSession.map((event) => ({ ...event })),
    { content: true },
  );
  expect(spans.get("invoke_agent coder")?.attributes["gen_ai.input.messages"]).toBe(
    '[{"role":"user","parts":[{"type":"text","content":"List the files."}]}]',
  );
  const [ran] = receiver.spans.filter(({ name }) => name === "execute_tool Bash");
  expect(ran?.attributes).toMatchObject({ "gen_ai.tool.call.arguments": '{"command":"ls"}', "gen_ai.tool.call.result": '"a.txt"' });
});

it("the hub's next start continues the trace with the same ids", async () => {
  const events = aSession.map((event) => ({ ...event }));
  await sendAll(events.slice(0, 5), { isContinued: true });
  const [chat] = [...receiver.spans];
  expect(receiver.spans.map(({ name }) => name)).toEqual(["chat claude-opus-4-1"]);
  const spans = await sendAll(events.slice(5), { isContinued: true });
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([chat?.traceId]));
  const [ran] = receiver.spans.filter(({ name }) => name === "execute_tool Bash");
  expect(ran).toMatchObject({ startMs: START + 230, attributes: { "hookline.start_unknown": true } });
  expect(spans.get("session coder")?.spanId).toBe(ran?.parentSpanId);
});

it("a call whose end does not come ends with its turn, its session, after silence, or with the sink, and says so", async () => {
  const start = (session: string, ms = 0) => [
    tell(ms, "agent:start", {}, { session: { id: session } }),
    tell(ms + 1, "tool:before", call(`of ${session}`), { session: { id: session } }),
  ];
  await sendAll(
    [
      ...start("silent"),
      ...start("turned", 9_000),
      tell(9_010, "turn:end", {}, { session: { id: "turned" } }),
      ...start("ended", 9_020),
      tell(9_030, "session:end", {}, { session: { id: "ended" } }),
      ...start("closed", 9_040),
    ],
    { maxOpenMs: 5_000 },
  );
  const reasons = receiver.spans
    .filter(({ name }) => name === "execute_tool Bash")
    .map(({ attributes }) => [attributes["gen_ai.conversation.id"], attributes["hookline.end_reason"]]);
  expect(reasons).toEqual([
    ["silent", "no_news"],
    ["turned", "turn_ended"],
    ["ended", "session_ended"],
    ["closed", "closed"],
  ]);
  expect(receiver.metrics.some(({ name }) => name === "gen_ai.execute_tool.duration")).toBe(false);
});

it("an event with a time far in the future does not end other sessions", async () => {
  const sink = open();
  const signal = new AbortController().signal;
  const [now, years] = [Date.now() - START, 1e12];
  await sink.send([tell(now, "prompt:submit"), tell(now + years, "prompt:submit", {}, { session: { id: "ahead" } })], signal);
  expect(receiver.spans).toEqual([]);
  await sink.send([tell(now + 1, "session:end")], signal);
  await sink.close();
  expect(receiver.spans.map(({ attributes }) => attributes["hookline.end_reason"])).toEqual([
    "session_ended",
    undefined,
    "closed",
    "closed",
  ]);
});

it("of two calls without an id, each has a span", async () => {
  const tool = { name: "Bash", input: {} };
  await sendAll([
    tell(0, "session:start"),
    tell(1, "tool:before", { tool }),
    tell(2, "llm:before"),
    tell(3, "tool:before", { tool }),
    tell(4, "llm:before"),
    tell(5, "tool:after", { tool, status: "ok" }),
    tell(6, "llm:after"),
    tell(7, "session:end"),
  ]);
  const of = (operation: string) =>
    receiver.spans
      .filter(({ attributes }) => attributes["gen_ai.operation.name"] === operation)
      .map(({ attributes }) => attributes["hookline.end_reason"]);
  expect(of("execute_tool")).toEqual(["next_call", undefined]);
  expect(of("chat")).toEqual(["next_call", undefined]);
});

it("no more spans are open than allowed: the oldest session ends, or the oldest call of the only one", async () => {
  const sink = open({ maxOpen: 10 });
  const signal = new AbortController().signal;
  await sink.send(
    Array.from({ length: 50 }, (_, index) => tell(index, "tool:before", call(`c${index}`))),
    signal,
  );
  expect(sink.counters.open).toBe(10);
  await sink.send(
    Array.from({ length: 50 }, (_, index) => tell(100 + index, "agent:start", {}, { session: { id: `other ${index}` } })),
    signal,
  );
  expect(sink.counters.open).toBeLessThanOrEqual(10);
  await sink.close();
  expect(sink.counters).toMatchObject({ open: 0, spans: receiver.spans.length });
  expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).toBe(receiver.spans.length);
  expect(receiver.spans.filter(({ attributes }) => attributes["hookline.end_reason"] === "evicted").length).toBeGreaterThan(80);
});

it("a session that another started is in its trace, within the worker", async () => {
  const child = { session: { id: "w1", parentId: "s1" } };
  const spans = await sendAll([
    tell(0, "agent:start", { agent: { name: "coder" } }),
    tell(1, "worker:spawned", { worker: { id: "w1", name: "explore" } }),
    tell(2, "tool:before", call("c9"), child),
    tell(3, "tool:after", { ...call("c9"), status: "error", error: "no such file" }, child),
    tell(4, "session:end", {}, child),
    tell(5, "worker:failed", { worker: { id: "w1" }, error: "gave up" }),
    tell(6, "agent:end"),
    tell(7, "session:end"),
  ]);
  const [tool, within, worker] = ["execute_tool Bash", "session coder", "invoke_agent explore"].map((name) => spans.get(name));
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(tool).toMatchObject({ status: { code: 2, message: "no such file" }, attributes: { "error.type": "error" } });
  expect(worker).toMatchObject({ status: { code: 2, message: "gave up" } });
  expect(receiver.spans.find(({ spanId }) => spanId === tool?.parentSpanId)?.parentSpanId).toBe(worker?.spanId);
  expect(within).toBeDefined();
});

it("an agent's own traceparent is the parent of its session; anything else under that name is ignored", async () => {
  const traceparent = OWN;
  const places = [
    { traceparent },
    { raw: { _meta: { traceparent } } },
    { env: { TRACEPARENT: traceparent } },
    { traceparent: "00-0-1-01" },
  ];
  await sendAll(places.flatMap((payload, index) => [tell(index, "session:start", payload, { session: { id: `t${index}` } })]));
  const parents = receiver.spans.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`);
  const given = "0af7651916cd43dd8448eb211c80319c b7ad6b7169203331";
  expect(parents.slice(0, 3)).toEqual([given, given, given]);
  expect(parents[3]).not.toContain("0af7");
});

it("the environment of an agent's process says what its sessions are a part of; that of the hub does not", async () => {
  const env = { TRACEPARENT: OWN };
  await sendAll([tell(0, "session:start"), tell(1, "session:end")], { env });
  await sendAll([tell(0, "session:start", {}, { session: { id: "s2" } }), tell(1, "session:end", {}, { session: { id: "s2" } })], {
    env,
    isContinued: true,
  });
  expect(receiver.spans.map(({ parentSpanId }) => parentSpanId)).toEqual(["b7ad6b7169203331", ""]);
});

it("a call with a traceparent of its own is in that trace, with its guards", async () => {
  const spans = await sendAll([
    tell(0, "session:start"),
    tell(1, "tool:before", { ...call("c1"), raw: { _meta: { traceparent: OWN } } }, { decision: { ...denied, verdict: "allow" } }),
    tell(2, "tool:after", { ...call("c1"), status: "ok" }),
    tell(3, "session:end"),
  ]);
  const [tool, guard] = [spans.get("execute_tool Bash"), spans.get("guard no-rm")];
  expect(tool).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331" });
  expect(guard).toMatchObject({ traceId: tool?.traceId, parentSpanId: tool?.spanId });
  expect(spans.get("session claude-code")).toMatchObject({ traceId: expect.not.stringContaining("0af7"), parentSpanId: "" });
});

it.each([[{}], [{ traceparent: OWN }]])("traceparentOf names the spans that are sent, for a session with %j", async (own) => {
  const spans = await sendAll([
    tell(0, "session:start", own),
    tell(1, "tool:before", call("c1")),
    tell(2, "tool:after", { ...call("c1"), status: "ok" }),
    tell(3, "session:end"),
  ]);
  const [tool, session] = [spans.get("execute_tool Bash"), [...spans.values()].find(({ name }) => name.startsWith("session "))];
  expect(traceparentOf({ session: "s1", callId: "c1", ...own })).toBe(`00-${tool?.traceId}-${tool?.spanId}-01`);
  expect(traceparentOf({ session: "s1", ...own })).toBe(`00-${session?.traceId}-${session?.spanId}-01`);
});

it("secrets do not leave a process", async () => {
  const bus = createBus({ source: "my-agent" });
  const sink = open({ content: true, logs: true });
  const connection = connectSink(bus, sink);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  bus.decide("tool:before", {
    session: { id: "s" },
    tool: { name: "bash", callId: "c", input: { command: `curl -H 'Authorization: Bearer ${secret}'` } },
  });
  await connection.close();
  expect(receiver.logs.length).toBe(1);
  expect(receiver.spans.length).toBeGreaterThan(0);
  expect(JSON.stringify([receiver.spans, receiver.logs])).not.toContain("a1B2a1B2");
});

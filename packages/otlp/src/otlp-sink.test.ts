import type { Envelope } from "@hookline/core/sinks";
import { afterAll, beforeEach, expect, it } from "vitest";
import { batchOf } from "../../../test/conformance/envelopes.ts";
import { startOtlpReceiver } from "../../../test/support/otlp-receiver.ts";
import { createOtlpSink, type OtlpSinkOptions } from "./otlp-sink.ts";

const receiver = await startOtlpReceiver();
afterAll(receiver.close);
beforeEach(() => {
  for (const list of [receiver.spans, receiver.metrics, receiver.requests]) list.length = 0;
  receiver.answer({});
});

const open = (options: OtlpSinkOptions = {}) => createOtlpSink({ url: receiver.url, env: {}, ...options });
const live = () => new AbortController().signal;

/** A session that ends, with tokens: a span and metrics. */
function ended(id: string): Envelope[] {
  const [start, llm, end] = batchOf(3, () => ({ usage: { inputTokens: 10 } })) as [Envelope, Envelope, Envelope];
  const session = { id };
  return [
    { ...start, event: "session:start", payload: {}, session },
    { ...llm, event: "llm:after", session },
    { ...end, event: "session:end", payload: {}, session },
  ];
}

const tokens = () => receiver.metrics.filter(({ name }) => name === "gen_ai.client.token.usage").map(({ points }) => points[0]?.value);

it("takes everything from the environment, with what the options say first", async () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: "X-Team=a%20b,authorization=Basic%20eA==",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_TIMEOUT: "9000",
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta",
    OTEL_SERVICE_NAME: "agents",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=ignored,deployment.environment.name=test",
  };
  const sink = createOtlpSink({ env, headers: { "x-team": "mine" }, resource: { region: "here" } });
  await sink.send(ended("one"), live());
  await sink.close();
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/base/v1/traces", "/base/v1/metrics"]);
  expect(receiver.requests[0]?.headers).toMatchObject({
    "x-team": "mine",
    authorization: "Basic eA==",
    "content-type": "application/json",
    "content-encoding": "gzip",
  });
  expect(receiver.spans[0]?.resource).toMatchObject({ "service.name": "agents", "deployment.environment.name": "test", region: "here" });
  expect(receiver.metrics[0]?.temporality).toBe(1);
});

it("refuses what it cannot do when it is created, and quotes no secret", () => {
  expect(() => open({ url: "http://collector.example:4318" })).toThrow(/plain http is for loopback only/);
  expect(() => open({ url: "https://169.254.169.254" })).toThrow(/must not be dialled/);
  expect(() => createOtlpSink({ env: { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" } })).toThrow(/gRPC is not supported/);
  expect(() => open({ headers: { "content-length": "s3cretvalue" } })).toThrow(/^(?!.*s3cretvalue).*"headers" must be/);
});

it("waits as long as the receiver asks, and sends the same spans once", async () => {
  const sink = open();
  const batch = ended("two");
  receiver.answer({ status: 429, headers: { "retry-after": "7" } });
  expect(await sink.send(batch, live())).toMatchObject({ status: "retry", afterMs: 7_000, cause: { code: "HL_OTLP_ANSWER" } });
  receiver.answer({ status: 503 });
  expect(await sink.send(batch, live())).toMatchObject({ status: "retry" });
  receiver.answer({});
  expect(await sink.send(batch, live())).toEqual({ status: "sent" });
  expect(receiver.spans.length).toBe(sink.counters.spans);
  expect(tokens()).toEqual([10]);
  await sink.close();
});

it("does not send spans again while only metrics are refused for now", async () => {
  const sink = open();
  const batch = ended("three");
  receiver.answer({ status: 503, only: "metrics" });
  expect(await sink.send(batch, live())).toMatchObject({ status: "retry" });
  const { length } = receiver.spans;
  receiver.answer({});
  expect(await sink.send(batch, live())).toEqual({ status: "sent" });
  expect(receiver.spans.length).toBe(length);
  expect(tokens()).toEqual([10]);
  await sink.close();
});

it("gives up what the receiver refuses for good, with the receiver's words and without the key", async () => {
  const sink = open({ headers: { authorization: "Bearer try-later-secret" } });
  receiver.answer({ status: 401 });
  const result = await sink.send(ended("four"), live());
  expect(result).toMatchObject({ status: "failed", cause: { message: expect.stringMatching(/answered 401: try later/) } });
  receiver.answer({});
  await sink.send(ended("five"), live());
  expect(new Set(receiver.spans.map(({ attributes }) => attributes["gen_ai.conversation.id"]))).toEqual(new Set(["five"]));
  await sink.close();
});

it.each(["http/protobuf", "http/json"] as const)("counts what a receiver refused of a request that it took, over %s", async (protocol) => {
  const sink = open({ protocol, metrics: false });
  receiver.answer({ refuses: 2 });
  expect(await sink.send(ended("six"), live())).toEqual({ status: "sent" });
  expect(sink.counters.refused).toBe(2);
  expect(sink.lastRefusal?.message).toMatch(/refused 2 of them: too old/);
  await sink.close();
});

it.each(["cumulative", "delta"] as const)("metrics are %s, also over failed requests", async (temporality) => {
  const sink = open({ temporality, traces: false });
  await sink.send(ended("a"), live());
  const batch = ended("b");
  receiver.answer({ status: 503 });
  await sink.send(batch, live());
  receiver.answer({});
  await sink.send(batch, live());
  await sink.send(ended("c"), live());
  expect(tokens()).toEqual(temporality === "delta" ? [10, 10, 10] : [10, 20, 30]);
  expect(receiver.spans).toEqual([]);
  await sink.close();
});

it("counts combinations of attributes beyond a thousand as one", async () => {
  const sink = open({ traces: false });
  const batch = batchOf(1_100, () => ({})).map((envelope, index) => ({
    ...envelope,
    event: "llm:after",
    payload: { agent: { model: `model-${index}` }, usage: { inputTokens: 1 } },
  }));
  await sink.send(batch, live());
  const points = receiver.metrics.find(({ name }) => name === "gen_ai.client.token.usage")?.points ?? [];
  expect(points.length).toBe(1_001);
  expect(points.at(-1)).toMatchObject({ value: 100, attributes: { "otel.metric.overflow": true } });
  await sink.close();
});

it("counts a turn's cost if its requests have none, and neither tokens nor costs twice", async () => {
  const sink = open({ traces: false });
  const [request, turn] = batchOf(2, () => ({})) as [Envelope, Envelope];
  const told = (envelope: Envelope, id: string, event: string, usage: object) => ({
    ...envelope,
    event,
    session: { id },
    payload: { usage },
  });
  const batch = [
    told(request, "without", "llm:after", { inputTokens: 10 }),
    told(turn, "without", "turn:end", { inputTokens: 10, costUsd: 2 }),
    told(request, "with", "llm:after", { inputTokens: 10, costUsd: 3 }),
    told(turn, "with", "turn:end", { inputTokens: 10, costUsd: 3 }),
  ];
  await sink.send(batch, live());
  const sumOf = (wanted: string) =>
    receiver.metrics.flatMap(({ name, points }) => (name === wanted ? points : [])).reduce((sum, { value }) => sum + value, 0);
  expect([sumOf("hookline.cost"), sumOf("gen_ai.client.token.usage")]).toEqual([5, 20]);
  await sink.close();
});

it("sends the next batch after one that cannot be read", async () => {
  const sink = open();
  const [event] = batchOf(1) as [Envelope];
  const payload = Object.defineProperty({}, "agent", {
    enumerable: true,
    get: () => {
      throw new Error("not now");
    },
  });
  expect(await sink.send([{ ...event, payload }], live())).toMatchObject({ status: "failed", cause: { message: "not now" } });
  expect(await sink.send(ended("after"), live())).toEqual({ status: "sent" });
  expect(receiver.spans.length).toBeGreaterThan(0);
  await sink.close();
});

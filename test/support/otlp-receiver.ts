import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gunzipSync } from "node:zlib";
// The decoder that was generated from OpenTelemetry's own definitions of the protocol.
import root from "otlp-decoder/build/src/generated/root.js";

type Json = { readonly [field: string]: unknown };
type Values = { readonly [name: string]: unknown };

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly kind: unknown;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: { readonly code?: unknown; readonly message?: string };
  readonly attributes: Values;
  readonly events: readonly { readonly name: string; readonly attributes: Values }[];
  readonly resource: Values;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly temporality: unknown;
  readonly points: readonly {
    readonly attributes: Values;
    readonly value: number;
    readonly count: number;
    readonly buckets: readonly number[];
  }[];
}

export interface ReceivedLog {
  readonly body: string;
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Values;
}

/** How the receiver answers, from now on. */
export interface Answering {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** For the signals that end with this; the others are taken. */
  readonly only?: "traces" | "metrics" | "logs";
  /** Accepts, but says that it refused so many. */
  readonly refuses?: number;
  /** Never. */
  readonly isSilent?: boolean;
}

/** A receiver of OTLP over HTTP, as a collector has one. It takes only what the official definitions decode. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedMetric[] = [];
  const logs: ReceivedLog[] = [];
  const requests: { readonly path: string; readonly headers: IncomingMessage["headers"]; readonly bytes: Buffer }[] = [];
  const sockets = new Set<Socket>();
  let answering: Answering = {};

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status = 200, headers = {}, only, refuses, isSilent } = answering;
    const path = request.url ?? "";
    const isMeant = only === undefined || path.endsWith(only);
    if (isSilent === true && isMeant) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    requests.push({ path, headers: request.headers, bytes });
    if (status !== 200 && isMeant) return void response.writeHead(status, headers).end("try later");
    const isJson = request.headers["content-type"] === "application/json";
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    if (path.endsWith("/v1/traces")) spans.push(...readSpans(decode("trace", "ExportTraceServiceRequest", body, isJson)));
    else if (path.endsWith("/v1/metrics")) metrics.push(...readMetrics(decode("metrics", "ExportMetricsServiceRequest", body, isJson)));
    else if (path.endsWith("/v1/logs")) logs.push(...readLogs(decode("logs", "ExportLogsServiceRequest", body, isJson)));
    else return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": isJson ? "application/json" : "application/x-protobuf" });
    response.end(refuses === undefined ? undefined : refusal(refuses, isJson));
  }

  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    logs,
    requests,
    answer(next: Answering) {
      answering = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;

const { collector } = (
  root as unknown as { opentelemetry: { proto: { collector: { [signal in Signal]: { v1: { [name: string]: Message } } } } } }
).opentelemetry.proto;

type Signal = "trace" | "metrics" | "logs";

interface Message {
  decode(bytes: Uint8Array): unknown;
  encode(fields: object): { finish(): Uint8Array };
}

function decode(signal: Signal, name: string, body: Buffer, isJson: boolean): Json {
  if (isJson) return JSON.parse(body.toString("utf8")) as Json;
  return (collector[signal].v1[name] as Message).decode(body) as Json;
}

function refusal(rejectedSpans: number, isJson: boolean): Uint8Array | string {
  const fields = { partialSuccess: { rejectedSpans, errorMessage: "too old" } };
  if (isJson) return JSON.stringify(fields);
  return (collector.trace.v1.ExportTraceServiceResponse as Message).encode(fields).finish();
}

function readSpans(request: Json): ReceivedSpan[] {
  return listOf(request.resourceSpans).flatMap(({ resource, scopeSpans }) =>
    listOf(scopeSpans).flatMap((scope) =>
      listOf(scope.spans).map((span) => ({
        name: String(span.name),
        traceId: idOf(span.traceId),
        spanId: idOf(span.spanId),
        parentSpanId: idOf(span.parentSpanId),
        kind: span.kind,
        startMs: msOf(span.startTimeUnixNano),
        endMs: msOf(span.endTimeUnixNano),
        status: (span.status ?? {}) as ReceivedSpan["status"],
        attributes: valuesOf(span.attributes),
        events: listOf(span.events).map((event) => ({ name: String(event.name), attributes: valuesOf(event.attributes) })),
        resource: valuesOf((resource as Json).attributes),
      })),
    ),
  );
}

function readMetrics(request: Json): ReceivedMetric[] {
  const metrics = listOf(request.resourceMetrics).flatMap(({ scopeMetrics }) =>
    listOf(scopeMetrics).flatMap((scope) => listOf(scope.metrics)),
  );
  return metrics.map((metric) => {
    const data = (metric.histogram ?? metric.sum) as Json;
    const points = listOf(data.dataPoints).map((point) => ({
      attributes: valuesOf(point.attributes),
      value: Number(String(point.sum ?? point.asDouble ?? point.asInt)),
      count: Number(String(point.count ?? 1)),
      buckets: ((point.bucketCounts ?? []) as unknown[]).map((count) => Number(String(count))),
    }));
    return { name: String(metric.name), unit: String(metric.unit), temporality: data.aggregationTemporality, points };
  });
}

function readLogs(request: Json): ReceivedLog[] {
  const logs = listOf(request.resourceLogs).flatMap(({ scopeLogs }) => listOf(scopeLogs).flatMap((scope) => listOf(scope.logRecords)));
  return logs.map((log) => ({
    body: String((log.body as Json).stringValue),
    eventName: String(log.eventName),
    traceId: idOf(log.traceId),
    spanId: idOf(log.spanId),
    attributes: valuesOf(log.attributes),
  }));
}

function listOf(value: unknown): readonly Json[] {
  return (value ?? []) as readonly Json[];
}

/** Bytes in protobuf, hexadecimal text in JSON. */
function idOf(value: unknown): string {
  if (typeof value === "string" || value === undefined || value === null) return value ?? "";
  return Buffer.from(value as Uint8Array).toString("hex");
}

/** Nanoseconds are more than a number holds. */
function msOf(nanoseconds: unknown): number {
  return Number(BigInt(String(nanoseconds)) / 1_000n) / 1_000;
}

function valuesOf(list: unknown): Values {
  return Object.fromEntries(listOf(list).map(({ key, value }) => [String(key), Object.values(value as Json)[0]]));
}

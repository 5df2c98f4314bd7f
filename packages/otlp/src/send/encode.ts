import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import {
  type IExportLogsServiceResponse,
  type IExportMetricsServiceResponse,
  type IExportTraceServiceResponse,
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import type { Measured, Point } from "../metrics/meter.js";
import { HOOKLINE } from "../names/gen-ai.js";
import { version } from "../names/package-version.js";
import { type SpanRecord, wellFormed } from "../trace/span-record.js";
import type { Resources } from "./resources.js";

type Span = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];
type Log = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];
type Metrics = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0];
type Metric = Metrics["scopeMetrics"][number]["metrics"][number];
type HrTime = Span["startTime"];

const scope = { name: "@hookline/otlp", version };
const RECORDED = 1;
const OK = { code: 0 } as const;

/** An event, and the span it belongs to. */
export interface EventRecord {
  readonly envelope: Envelope;
  readonly within: SpanRecord;
}

/** Writes the bodies of requests. */
export interface Encoder {
  readonly contentType: string;
  traces(spans: readonly SpanRecord[]): Uint8Array;
  metrics(measured: readonly Measured[]): Uint8Array;
  logs(events: readonly EventRecord[]): Uint8Array;
  /** How much of a request was refused, and why; nothing if all was taken. */
  refusalIn(body: Uint8Array): { readonly count: number; readonly message: string } | undefined;
}

export function createEncoder(isJson: boolean, isDelta: boolean, resources: Resources): Encoder {
  const traces = isJson ? JsonTraceSerializer : ProtobufTraceSerializer;
  const metrics = isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  const logs = isJson ? JsonLogsSerializer : ProtobufLogsSerializer;
  const none = new Uint8Array();
  return {
    contentType: isJson ? "application/json" : "application/x-protobuf",
    traces: (spans) => traces.serializeRequest(spans.map((span) => spanOf(span, resources))) ?? none,
    metrics: (measured) => metrics.serializeRequest(metricsOf(measured, isDelta, resources)) ?? none,
    logs: (events) => logs.serializeRequest(events.map((event) => logOf(event, resources))) ?? none,
    // The answers to all signals have the same fields under the same numbers.
    refusalIn: (body) => (body.length === 0 ? undefined : refusalOf(traces.deserializeResponse(body))),
  };
}

type Response = IExportTraceServiceResponse & IExportMetricsServiceResponse & IExportLogsServiceResponse;

function refusalOf(response: IExportTraceServiceResponse): { readonly count: number; readonly message: string } | undefined {
  const { rejectedSpans, rejectedDataPoints, rejectedLogRecords, errorMessage = "" } = (response as Response).partialSuccess ?? {};
  const count = Number(rejectedSpans ?? rejectedDataPoints ?? rejectedLogRecords ?? 0);
  return count > 0 || errorMessage !== "" ? { count, message: errorMessage } : undefined;
}

function spanOf(span: SpanRecord, resources: Resources): Span {
  const { traceId, spanId, parentSpanId, isParentRemote = false, name, kind, startMs, endMs, attributes, error } = span;
  const context = { traceId, spanId, traceFlags: RECORDED };
  return {
    name: wellFormed(name.slice(0, 300)),
    kind,
    spanContext: () => context,
    ...(parentSpanId !== undefined && {
      parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: RECORDED, isRemote: isParentRemote },
    }),
    startTime: timeOf(startMs),
    endTime: timeOf(endMs),
    duration: timeOf(endMs - startMs),
    status: error === undefined ? OK : { code: 2, message: wellFormed(error.slice(0, 1_000)) },
    attributes,
    links: [],
    events: span.events.map((event) => ({ name: event.name, time: timeOf(event.atMs), attributes: event.attributes })),
    ended: true,
    resource: resources.of(span.source),
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  };
}

function logOf({ envelope, within }: EventRecord, resources: Resources): Log {
  const { id, at, event, source, decision } = envelope;
  const isDenied = decision?.verdict === "deny" || event.endsWith(":error") || event.endsWith(":failed");
  return {
    hrTime: timeOf(Date.parse(at)),
    hrTimeObserved: timeOf(Date.now()),
    spanContext: { traceId: within.traceId, spanId: within.spanId, traceFlags: RECORDED },
    severityNumber: isDenied ? 13 : 9,
    severityText: isDenied ? "WARN" : "INFO",
    eventName: event,
    body: encodeEnvelope(envelope),
    attributes: {
      [HOOKLINE.event]: event,
      [HOOKLINE.eventId]: id,
      ...(decision !== undefined && { [HOOKLINE.verdict]: decision.verdict }),
    },
    resource: resources.of(source),
    instrumentationScope: scope,
    droppedAttributesCount: 0,
  };
}

function metricsOf(measured: readonly Measured[], isDelta: boolean, resources: Resources): Metrics {
  const endTime = timeOf(Date.now());
  const metrics = measured.map(({ instrument, points }): Metric => {
    const { name, unit, description, boundaries } = instrument;
    const about = { descriptor: { name, unit, description, valueType: 1 }, aggregationTemporality: isDelta ? 0 : 1 };
    const placed = (point: Point) => ({ startTime: timeOf(point.startMs), endTime, attributes: point.attributes });
    if (boundaries === undefined)
      return { ...about, dataPointType: 3, isMonotonic: true, dataPoints: points.map((point) => ({ ...placed(point), value: point.sum })) };
    const histogram = ({ sum, count, counts }: Point) => ({ sum, count, buckets: { boundaries: [...boundaries], counts: [...counts] } });
    return { ...about, dataPointType: 0, dataPoints: points.map((point) => ({ ...placed(point), value: histogram(point) })) };
  });
  return { resource: resources.own, scopeMetrics: [{ scope, metrics }] };
}

/** Seconds and nanoseconds. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1_000) * 1e6))];
}

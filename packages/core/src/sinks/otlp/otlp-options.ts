import type { LookupFunction } from "node:net";
import { flag, label, oneOf, positiveCount, text } from "../../bus/option-rules.js";
import type { SinkDefinition, SinkOptionTable } from "../sink-definition.js";
import { headersOption, timeLimit } from "../webhook/options.js";

/** Options of `createOtlpSink` in `@hookline/otlp`. What is not given comes from the `OTEL_…` variables of the environment. */
export interface OtlpSinkOptions {
  readonly name?: string;
  /** The address below which `/v1/traces`, `/v1/metrics` and `/v1/logs` are. Default `OTEL_EXPORTER_OTLP_ENDPOINT`, else port 4318 of this machine. */
  readonly url?: string;
  /** Default `OTEL_EXPORTER_OTLP_PROTOCOL`, else `http/protobuf`. */
  readonly protocol?: "http/protobuf" | "http/json";
  /** Beside those of `OTEL_EXPORTER_OTLP_HEADERS`. */
  readonly headers?: { readonly [name: string]: string };
  /** Default `OTEL_EXPORTER_OTLP_COMPRESSION`, else `none`. */
  readonly compression?: "gzip" | "none";
  /** For one request. Default `OTEL_EXPORTER_OTLP_TIMEOUT`, else 10,000. */
  readonly timeoutMs?: number;
  /** How long `close` waits for requests under way. Default 2,000. */
  readonly closeTimeoutMs?: number;
  /** Attributes of the resource, beside those of `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME`. */
  readonly resource?: { readonly [name: string]: string };
  /** Sends spans. Default `true`. */
  readonly traces?: boolean;
  /** Sends counts of tokens, costs, decisions and durations. Default `true`. */
  readonly metrics?: boolean;
  /** Sends every event whole, as a log record. Default `false`. */
  readonly logs?: boolean;
  /** Puts prompts, answers, and what tools get and return into spans. Default `false`. */
  readonly content?: boolean;
  /** Default `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE`, else `cumulative`. */
  readonly temporality?: "cumulative" | "delta";
  /** The names for decisions. Default `proposed` if `OTEL_SEMCONV_STABILITY_OPT_IN` has `gen_ai_latest_experimental`, else `hookline`. */
  readonly guardrails?: "hookline" | "proposed";
  /** How many spans may be open at once. One more closes the oldest. Default 10,000. */
  readonly maxOpen?: number;
  /** A span without news for this long is closed. Default an hour. */
  readonly maxOpenMs?: number;
  /** What is open when the sink is closed is left for the sink that continues, which makes the same ids. Default `false`: it is closed and sent. */
  readonly isContinued?: boolean;
  readonly allowPrivate?: boolean;
  readonly allowHttp?: boolean;
  readonly lookup?: LookupFunction;
  /** Where the `OTEL_…` variables are. Default `process.env`. */
  readonly env?: { readonly [name: string]: string | undefined };
}

export const otlpOptions: SinkOptionTable<OtlpSinkOptions> = {
  name: label,
  url: {
    ...text,
    wants: "an http or https address",
    isSecret: true,
    kind: "address",
    what: "The address before `/v1/traces`. https; plain http only to loopback, or with `allowHttp`.",
    default: "`OTEL_EXPORTER_OTLP_ENDPOINT`, else `http://localhost:4318`",
  },
  protocol: choice(["http/protobuf", "http/json"], "How requests are encoded.", '`OTEL_EXPORTER_OTLP_PROTOCOL`, else `"http/protobuf"`'),
  headers: { ...headersOption, default: "`OTEL_EXPORTER_OTLP_HEADERS`" },
  compression: choice(["gzip", "none"], "How requests are compressed.", '`OTEL_EXPORTER_OTLP_COMPRESSION`, else `"none"`'),
  timeoutMs: {
    ...timeLimit,
    kind: "time",
    what: "How long one request may take.",
    default: "`OTEL_EXPORTER_OTLP_TIMEOUT`, else 10 s",
    isPartOfSend: true,
  },
  closeTimeoutMs: { ...timeLimit, kind: "time", what: "How long closing waits for requests under way.", default: "2 s" },
  resource: {
    accepts: areTexts,
    wants: "an object of texts",
    kind: "texts",
    what: "Attributes of the resource, such as `deployment.environment.name`.",
    default: "`OTEL_RESOURCE_ATTRIBUTES`",
  },
  traces: { ...flag, kind: "flag", what: "Sends spans.", default: "`true`" },
  metrics: { ...flag, kind: "flag", what: "Sends counts of tokens, costs, decisions and durations.", default: "`true`" },
  logs: { ...flag, kind: "flag", what: "Sends every event whole, as a log record.", default: "`false`" },
  content: { ...flag, kind: "flag", what: "Puts prompts, answers, and what tools get and return into spans.", default: "`false`" },
  temporality: choice(
    ["cumulative", "delta"],
    "Whether metrics count from the start or since the last request.",
    '`OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE`, else `"cumulative"`',
  ),
  guardrails: choice(
    ["hookline", "proposed"],
    "The names for decisions: Hookline's own, or those of the open proposal for guardrails.",
    '`"proposed"` if `OTEL_SEMCONV_STABILITY_OPT_IN` has `gen_ai_latest_experimental`, else `"hookline"`',
  ),
  maxOpen: { ...positiveCount, kind: "count", what: "How many spans may be open at once. One more closes the oldest.", default: "10,000" },
  maxOpenMs: { ...timeLimit, kind: "age", what: "A span without news for this long is closed.", default: "an hour" },
  isContinued: flag,
  allowPrivate: { ...flag, kind: "flag", what: "`false` refuses private and loopback addresses.", default: "`true`" },
  allowHttp: { ...flag, kind: "flag", what: "Permits plain http.", default: "`false`" },
  lookup: { accepts: (value) => typeof value === "function", wants: "a function such as dns.lookup" },
  env: { accepts: (value) => typeof value === "object" && value !== null, wants: "an object" },
};

export const otlpSink: SinkDefinition = {
  type: "otlp",
  what: "Sends traces, metrics and logs to an OpenTelemetry receiver over HTTP. It needs the package `@hookline/otlp`.",
  options: otlpOptions,
  package: "@hookline/otlp",
  missing: "HL_OTLP_MISSING",
};

function choice(choices: readonly string[], what: string, otherwise: string) {
  return { ...oneOf(...choices), kind: "choice", choices, what, default: otherwise } as const;
}

function areTexts(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every((one) => typeof one === "string")
  );
}

import { lookup as lookupByDns } from "node:dns";
import type { LookupFunction } from "node:net";
import { HookError } from "@hookline/core";
import {
  checkOptions,
  createCredentialHider,
  type OtlpSinkOptions,
  otlpOptions,
  parseTarget,
  parseTraceparent,
  type Target,
  type TargetErrors,
  type TraceContext,
} from "@hookline/core/internal/sinks";

export type Signal = "traces" | "metrics" | "logs";

export interface OtlpSettings {
  readonly name: string;
  /** Where each signal goes that is sent. */
  readonly targets: { readonly [signal in Signal]?: Target };
  readonly isJson: boolean;
  readonly isGzip: boolean;
  readonly headers: { readonly [name: string]: string };
  readonly hideCredentials: (text: string) => string;
  readonly resource: { readonly [name: string]: string };
  readonly timeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly content: boolean;
  readonly temporality: "cumulative" | "delta";
  readonly guardrails: "hookline" | "proposed";
  readonly maxOpen: number;
  readonly maxOpenMs: number;
  readonly isContinued: boolean;
  /** What this process is a part of, as its environment says. That of the hub says nothing about agents. */
  readonly parent: TraceContext | undefined;
  readonly lookup: LookupFunction;
}

type Environment = NonNullable<OtlpSinkOptions["env"]>;

/** The options, with the `OTEL_…` variables and their defaults. Throws `HL_UNKNOWN_OPTION`, `HL_BAD_OPTION` or `HL_OTLP_TARGET`, and quotes no secret. */
export function readSettings(options: OtlpSinkOptions): OtlpSettings {
  checkOptions("createOtlpSink", options, otlpOptions);
  const { name = "otlp", env = process.env, closeTimeoutMs = 2_000, content = false, isContinued = false } = options;
  const headers = { ...pairsIn(env, "OTEL_EXPORTER_OTLP_HEADERS"), ...lowerCased(options.headers ?? {}) };
  const targets = targetsOf(options, env);
  const secrets = Object.values(targets).flatMap((target) => [...target.secrets]);
  return {
    name,
    targets,
    isJson: wordOf(options.protocol, env, "OTEL_EXPORTER_OTLP_PROTOCOL", PROTOCOLS) === "http/json",
    isGzip: wordOf(options.compression, env, "OTEL_EXPORTER_OTLP_COMPRESSION", COMPRESSIONS) === "gzip",
    headers,
    hideCredentials: createCredentialHider([...secrets, ...Object.values(headers)]),
    resource: { ...resourceIn(env), ...options.resource },
    timeoutMs: options.timeoutMs ?? timeoutIn(env) ?? 10_000,
    closeTimeoutMs,
    content,
    temporality: wordOf(options.temporality, env, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", TEMPORALITIES),
    guardrails: options.guardrails ?? (optsIn(env) ? "proposed" : "hookline"),
    maxOpen: options.maxOpen ?? 10_000,
    maxOpenMs: options.maxOpenMs ?? 3_600_000,
    isContinued,
    parent: isContinued ? undefined : parseTraceparent(textIn(env, "TRACEPARENT")),
    lookup: options.lookup ?? lookupByDns,
  };
}

const PROTOCOLS = { "http/protobuf": "http/protobuf", "http/json": "http/json" } as const;
const COMPRESSIONS = { none: "none", gzip: "gzip" } as const;
const TEMPORALITIES = { cumulative: "cumulative", delta: "delta", lowmemory: "delta" } as const;

/** The option, or what the variable says; the first of the words by default. */
function wordOf<Word extends string>(
  option: Word | undefined,
  env: Environment,
  variable: string,
  words: { readonly [word: string]: Word },
): Word {
  const given = env[variable]?.trim().toLowerCase() ?? "";
  const [first] = Object.values(words) as [Word];
  const found = option ?? (given === "" ? first : words[given]);
  if (found !== undefined) return found;
  throw new HookError(
    "HL_BAD_OPTION",
    `${variable} must be ${Object.keys(words).join(" or ")}, and it is "${given}". gRPC is not supported.`,
  );
}

function targetsOf(options: OtlpSinkOptions, env: Environment): OtlpSettings["targets"] {
  const { traces = true, metrics = true, logs = false, allowPrivate = true, allowHttp = false } = options;
  const base = options.url ?? textIn(env, "OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318";
  const { url } = parseTarget(base, { allowPrivate, allowHttp }, errors);
  const wanted = Object.entries({ traces, metrics, logs }).filter(([, isWanted]) => isWanted);
  const targets = wanted.map(([signal]) => {
    const own = options.url === undefined ? textIn(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`) : undefined;
    return [signal, parseTarget(own ?? below(url, `v1/${signal}`), { allowPrivate, allowHttp }, errors)] as const;
  });
  return Object.fromEntries(targets);
}

function below(url: URL, path: string): string {
  const whole = new URL(url);
  whole.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return whole.href;
}

const errors: TargetErrors = {
  bad: (wants) => new HookError("HL_BAD_OPTION", `createOtlpSink: "url" must be ${wants}.`),
  refused: (why) => new HookError("HL_OTLP_TARGET", `createOtlpSink: "url" must not be dialled: ${why}.`),
  plain: () => errors.refused('plain http is for loopback only; use https, or say "allowHttp"'),
};

function textIn(env: Environment, variable: string): string | undefined {
  const given = env[variable]?.trim();
  return given === "" ? undefined : given;
}

/** `a=1,b=2`, with values as in URLs. */
function pairsIn(env: Environment, variable: string): { readonly [name: string]: string } {
  const pairs = (textIn(env, variable) ?? "").split(",").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
  return lowerCased(Object.fromEntries(pairs), variable.endsWith("HEADERS"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One header must not be sent in two spellings. */
function lowerCased(given: { readonly [name: string]: string }, isHeaders = true): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [isHeaders ? name.toLowerCase() : name, value]));
}

function resourceIn(env: Environment): { readonly [name: string]: string } {
  const service = textIn(env, "OTEL_SERVICE_NAME");
  return { ...pairsIn(env, "OTEL_RESOURCE_ATTRIBUTES"), ...(service !== undefined && { "service.name": service }) };
}

function timeoutIn(env: Environment): number | undefined {
  const given = Number(textIn(env, "OTEL_EXPORTER_OTLP_TIMEOUT"));
  return Number.isSafeInteger(given) && given > 0 ? given : undefined;
}

function optsIn(env: Environment): boolean {
  return (textIn(env, "OTEL_SEMCONV_STABILITY_OPT_IN") ?? "").split(",").some((word) => word.trim() === "gen_ai_latest_experimental");
}

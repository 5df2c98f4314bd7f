import { parseTraceparent, type TraceContext } from "@hookline/core/internal/sinks";
import type { Envelope } from "@hookline/core/sinks";

type Json = { readonly [field: string]: unknown };

/** What of a payload makes spans and metrics. It is whatever an agent sent, so every field is checked. */
export interface Told {
  readonly agentName: string | undefined;
  readonly agentId: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly tool: {
    readonly name: string;
    readonly callId: string | undefined;
    readonly server: string | undefined;
    readonly input: unknown;
    readonly output: unknown;
  };
  readonly durationMs: number | undefined;
  readonly worker: { readonly id: string | undefined; readonly name: string | undefined };
  readonly messageId: string | undefined;
  readonly status: string | undefined;
  readonly error: string | undefined;
  readonly reason: string | undefined;
  readonly prompt: string | undefined;
  readonly message: string | undefined;
  readonly usage: {
    /** With those read from the cache and written to it, as the conventions count. */
    readonly inputTokens: number | undefined;
    readonly cacheReadTokens: number | undefined;
    readonly cacheWriteTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly costUsd: number | undefined;
  };
  readonly traceparent: TraceContext | undefined;
}

export function readTold({ payload }: Envelope): Told {
  const fields = objectOf(payload);
  const [agent, tool, worker, usage] = [fields.agent, fields.tool, fields.worker, fields.usage].map(objectOf) as [Json, Json, Json, Json];
  return {
    agentName: textOf(agent.name) ?? textOf(agent.platform),
    agentId: textOf(agent.id),
    model: textOf(agent.model) ?? textOf(fields.model) ?? textOf(objectOf(fields.request).model),
    provider: textOf(fields.provider),
    tool: {
      name: textOf(tool.name) ?? "tool",
      callId: textOf(tool.callId),
      server: textOf(tool.server),
      input: tool.input,
      output: tool.output,
    },
    durationMs: amountOf(tool.durationMs) ?? amountOf(fields.duration_ms),
    worker: { id: textOf(worker.id), name: textOf(worker.name) },
    messageId: textOf(fields.messageId) ?? textOf(fields.response_id),
    status: textOf(fields.status),
    error: textOf(fields.error) ?? textOf(objectOf(fields.error).message) ?? textOf(fields.error_message),
    reason: textOf(fields.reason),
    prompt: textOf(fields.prompt) ?? textOf(fields.text),
    message: textOf(fields.message) ?? textOf(fields.response),
    usage: usageIn(usage),
    traceparent: traceparentIn(fields),
  };
}

/** In events, the counts of input, cache reads and cache writes are of different tokens. */
function usageIn(usage: Json): Told["usage"] {
  const [input, cacheReadTokens, cacheWriteTokens] = [usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens].map(amountOf);
  const known = [input, cacheReadTokens, cacheWriteTokens].filter((amount) => amount !== undefined);
  return {
    inputTokens: known.length === 0 ? undefined : known.reduce((sum, amount) => sum + amount, 0),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: amountOf(usage.outputTokens),
    costUsd: amountOf(usage.costUsd),
  };
}

/** In the payload itself, in the metadata of MCP and ACP, in the headers of a request, or in the environment of the agent's process. */
function traceparentIn(fields: Json): TraceContext | undefined {
  const raw = objectOf(fields.raw);
  const places = [fields, raw, objectOf(fields._meta), objectOf(raw._meta), objectOf(fields.headers), objectOf(raw.headers)];
  const found = [...places.map(({ traceparent }) => traceparent), objectOf(fields.env).TRACEPARENT, objectOf(raw.env).TRACEPARENT];
  return found.map(parseTraceparent).find((context) => context !== undefined);
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function amountOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

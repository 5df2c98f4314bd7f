import type { Envelope } from "@hookline/core/sinks";
import { GEN_AI, HOOKLINE, METRIC, OPERATION, providerOf } from "../names/gen-ai.js";
import { type Attributes, attributes, type SpanRecord } from "../trace/span-record.js";
import { readTold } from "../trace/told.js";
import type { Instrument, Meter } from "./meter.js";

// The boundaries are those of the conventions.
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokens: Instrument = {
  name: METRIC.tokens,
  unit: "{token}",
  description: "Tokens that a request to a model, or a turn, has used.",
  boundaries: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
};
const modelDuration: Instrument = {
  name: METRIC.modelDuration,
  unit: "s",
  description: "How long requests to models took.",
  boundaries: SECONDS,
};
const toolDuration: Instrument = { name: METRIC.toolDuration, unit: "s", description: "How long tool calls took.", boundaries: SECONDS };
const cost: Instrument = {
  name: METRIC.cost,
  unit: "{USD}",
  description: "What agents report as the cost of their requests, in US dollars.",
};
const decisions: Instrument = {
  name: METRIC.decisions,
  unit: "{decision}",
  description: "Decisions by event, verdict and kind of the actor that decided.",
};

/** So many sessions are remembered. */
const MAX_SESSIONS = 10_000;

/** Counts what events say about tokens, costs and decisions, and what spans say about time. */
export class EventMetrics {
  readonly #meter: Meter;
  /** Sessions that report tokens by request, and those that report costs so. What they say about turns is the same again. */
  readonly #byRequest = { tokens: new Set<string>(), cost: new Set<string>() };

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  countEvent(envelope: Envelope): void {
    this.#countUsage(envelope);
    const { decision, event, source } = envelope;
    if (decision === undefined) return;
    const by = {
      [HOOKLINE.event]: event,
      [HOOKLINE.verdict]: decision.verdict,
      "hookline.guard.kind": decision.actor?.kind,
      [HOOKLINE.app]: source.app,
    };
    this.#meter.record(decisions, 1, attributes(by));
  }

  countSpan({ attributes: said, startMs, endMs, source }: SpanRecord): void {
    // Its length says nothing.
    if (said[HOOKLINE.endReason] !== undefined || said[HOOKLINE.startUnknown] !== undefined) return;
    const seconds = (endMs - startMs) / 1_000;
    const about = { [GEN_AI.errorType]: said[GEN_AI.errorType], [HOOKLINE.app]: source.app };
    const operation = said[GEN_AI.operation];
    if (operation === OPERATION.tool)
      this.#meter.record(
        toolDuration,
        seconds,
        attributes({ [GEN_AI.operation]: operation, [GEN_AI.toolName]: said[GEN_AI.toolName], ...about }),
      );
    if (operation === OPERATION.model) this.#meter.record(modelDuration, seconds, { ...modelOf(said), ...attributes(about) });
  }

  #countUsage(envelope: Envelope): void {
    const { usage, model, provider } = readTold(envelope);
    const { inputTokens, outputTokens, costUsd } = usage;
    const isRequest = envelope.event.startsWith("llm:");
    const session = envelope.session?.id ?? "";
    const isNew = (kind: "tokens" | "cost", amount: number | undefined): amount is number => {
      if (amount === undefined) return false;
      if (isRequest) remember(this.#byRequest[kind], session);
      return isRequest || !this.#byRequest[kind].has(session);
    };
    const by = attributes({
      [GEN_AI.operation]: isRequest ? OPERATION.model : OPERATION.agent,
      [GEN_AI.provider]: providerOf(provider, model),
      [GEN_AI.requestModel]: model,
      [HOOKLINE.app]: envelope.source.app,
    });
    if (isNew("tokens", inputTokens)) this.#meter.record(tokens, inputTokens, { ...by, [GEN_AI.tokenType]: "input" });
    if (isNew("tokens", outputTokens)) this.#meter.record(tokens, outputTokens, { ...by, [GEN_AI.tokenType]: "output" });
    if (isNew("cost", costUsd)) this.#meter.record(cost, costUsd, by);
  }
}

function remember(sessions: Set<string>, session: string): void {
  if (sessions.size >= MAX_SESSIONS) sessions.clear();
  sessions.add(session);
}

function modelOf(said: Attributes): Attributes {
  return attributes({
    [GEN_AI.operation]: said[GEN_AI.operation],
    [GEN_AI.provider]: said[GEN_AI.provider],
    [GEN_AI.requestModel]: said[GEN_AI.requestModel],
  });
}

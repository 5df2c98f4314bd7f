import type { Envelope } from "@hookline/core/sinks";
import { GEN_AI, HOOKLINE } from "../names/gen-ai.js";
import type { GuardrailNames } from "../names/guardrail-names.js";
import { guardrailSpans } from "./guardrail-spans.js";
import type { OpenSession } from "./open-session.js";
import { addEvent, attributes, type SpanRecord } from "./span-record.js";
import type { Told } from "./told.js";

export interface StepOptions {
  readonly guardrails: GuardrailNames;
  /** Whether spans have prompts, answers, and what tools get and return. */
  readonly content: boolean;
}

/** An event in its session. */
export interface Occurrence {
  readonly session: OpenSession;
  readonly envelope: Envelope;
  readonly told: Told;
  readonly atMs: number;
  readonly options: StepOptions;
}

/** What an event does to the spans of its session. Returns the spans that have ended. */
export type Step = (occurrence: Occurrence) => readonly SpanRecord[];

/** An event without a span of its own is a point in the span that it happens in. */
export const note: Step = ({ session, envelope, told, atMs, options }) => {
  const { id, event, decision } = envelope;
  const given = attributes({ [HOOKLINE.eventId]: id, [HOOKLINE.verdict]: decision?.verdict, [GEN_AI.toolCallId]: told.tool.callId });
  addEvent(session.current, { name: event, atMs, attributes: given });
  return guardrailSpans(envelope, session.current, options.guardrails);
};

export function fail(span: SpanRecord, message: string, type: string): void {
  span.error = message;
  span.attributes = { ...span.attributes, ...attributes({ [GEN_AI.errorType]: type }) };
}

/** For a span whose start was not seen: before a restart, or because the agent reports ends alone. */
export function startEarlier(span: SpanRecord, durationMs: number | undefined): void {
  span.startMs -= durationMs ?? 0;
  if (durationMs === undefined) span.attributes[HOOKLINE.startUnknown] = true;
}

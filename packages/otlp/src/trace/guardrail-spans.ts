import { spanIdOf } from "@hookline/core/internal/sinks";
import type { Envelope } from "@hookline/core/sinks";
import { GEN_AI } from "../names/gen-ai.js";
import type { GuardrailNames } from "../names/guardrail-names.js";
import { attributes, KIND, type SpanRecord } from "./span-record.js";

/** So many actors of one decision get a span. Rules that do not match get none. */
const MAX_SPANS = 32;
/** They run outside the process that asks. */
const REMOTE = new Set(["hook", "hub", "person"]);

/** One span for each actor that had a part in a decision, within the span of what was decided on. */
export function guardrailSpans(envelope: Envelope, within: SpanRecord, names: GuardrailNames): SpanRecord[] {
  const { decision, event, session, source } = envelope;
  if (decision === undefined) return [];
  const target = (envelope.payload as { readonly tool?: { readonly callId?: unknown } } | null)?.tool?.callId;
  const spans: SpanRecord[] = [];
  let atMs = Date.parse(envelope.at);
  for (const [index, step] of (decision.trail ?? []).entries()) {
    const startMs = atMs;
    // The hub's own time contains that of its steps, which follow it.
    if (step.actor.at === undefined || step.stage === "approval") atMs += step.durationMs ?? 0;
    if (step.action === "no-match" || spans.length >= MAX_SPANS) continue;
    const run = { step, decision, event, target: typeof target === "string" ? target : undefined };
    spans.push({
      traceId: within.traceId,
      spanId: spanIdOf(session?.id ?? source.instance, "guard", `${envelope.id} ${index}`),
      parentSpanId: within.spanId,
      kind: REMOTE.has(step.actor.kind) ? KIND.client : KIND.internal,
      source,
      name: names.nameOf(run),
      startMs,
      endMs: startMs + (step.durationMs ?? 0),
      attributes: attributes({ ...names.attributesOf(run), [GEN_AI.conversation]: session?.id, [GEN_AI.errorType]: step.failure }),
      events: [],
      droppedEvents: 0,
      ...(step.action === "failed" && { error: step.reason ?? step.failure ?? "failed" }),
    });
  }
  return spans;
}

/** How long a decision took, as far as its trail says. */
export function decisionMs({ decision }: Envelope): number {
  const own = (decision?.trail ?? []).filter(({ actor, stage }) => actor.at === undefined || stage === "approval");
  return own.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
}

import type { Decision, TransformResult } from "@hookline/core";
import { stepsOf, summarizeDecision } from "@hookline/core/internal/sinks";
import type { LineLate, LineTransformed, LineVerdict } from "@hookline/core/internal/wire";
import type { DecisionStep } from "@hookline/core/sinks";

/** More of the trail nobody reads, and it is stored with every event. */
const MAX_STEPS = 64;

/** A decision as it goes back over the line: what nobody said is left out. */
export function verdictFrame(id: string, decision: Decision): LineVerdict {
  const { payload, modified, injections, reminders } = decision;
  const { verdict, reason, by, cause, endLoop, trail = [] } = summarizeDecision(decision);
  const asks = verdict === "ask" ? askersIn(decision.trail) : [];
  return {
    type: "verdict",
    id,
    decision: verdict,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by: asks.length > 0 ? asks.map((each) => each.by).join(", ") : by }),
    ...(asks.length > 0 && { asks }),
    ...(modified && { payload }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders: reminders.map(({ spec }) => spec) }),
    ...(endLoop && { endLoop: true as const }),
    ...(cause !== undefined && { cause }),
    ...(trail.length > 0 && { trail: shortened(trail) }),
  };
}

/** What became of a value; one that nothing replaced is not sent back. */
export function transformedFrame(id: string, given: unknown, { value, injections, reminders, trail }: TransformResult): LineTransformed {
  return {
    type: "transformed",
    id,
    ...(!Object.is(value, given) && { value: value ?? null }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders: reminders.map(({ spec }) => spec) }),
    ...(trail.length > 0 && { trail: shortened(stepsOf(trail)) }),
  };
}

/** Who had not answered when the time was up. */
export function lateFrame(id: string, decision: Decision): LineLate {
  const { trail = [] } = summarizeDecision(decision);
  const waiting = decision.trail.findLast(({ action }) => action === "cancelled")?.handler;
  return { type: "late", id, ...(waiting !== undefined && { by: waiting }), ...(trail.length > 0 && { trail: shortened(trail) }) };
}

/** All of them, as one answer is for all: those that had asked, and passed when they looked again, do not count. */
function askersIn(trail: Decision["trail"]): NonNullable<LineVerdict["asks"]> {
  const latest = new Map(trail.map((step) => [`${step.owner ?? ""}\n${step.handler}`, step]));
  return [...latest.values()].flatMap(({ handler, action, reason }) =>
    action === "ask" ? { by: handler, ...(reason !== undefined && { reason }) } : [],
  );
}

/** Of very many those that had something to do with it. */
function shortened(trail: readonly DecisionStep[]): readonly DecisionStep[] {
  return trail.length <= MAX_STEPS ? trail : trail.filter(({ action }) => action !== "no-match").slice(0, MAX_STEPS);
}

import type { Decision, TransformResult } from "@hookline/core";
import { stepsOf, summarizeDecision } from "@hookline/core/internal/sinks";
import type { LineLate, LineTransformed, LineVerdict } from "@hookline/core/internal/wire";
import type { DecisionStep } from "@hookline/core/sinks";
import { HUB_ACTOR } from "../ingest/own-source.js";

/** More of a trail is hardly read, and it is stored with every event. */
const MAX_STEPS = 64;

/** A decision as it goes back over the connection. */
export function verdictFrame(id: string, decision: Decision): LineVerdict {
  const { payload, modified, injections, reminders, asks = [] } = decision;
  const { verdict, reason, actor, cause, endLoop, trail = [] } = summarizeDecision(decision);
  return {
    type: "verdict",
    id,
    verdict,
    // A process of an earlier version reads these two.
    decision: verdict,
    ...(actor !== undefined && { by: actor.name, actor }),
    ...(reason !== undefined && { reason }),
    ...(asks.length > 0 && { asks }),
    ...(modified && { payload }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders: reminders.map(({ spec }) => spec) }),
    ...(endLoop && { endLoop: true as const }),
    ...(cause !== undefined && { cause }),
    ...(trail.length > 0 && { trail: shortened(trail) }),
  };
}

/** A deny by the hub itself. */
export function refusalFrame(id: string, reason: string, cause: string): LineVerdict {
  return { type: "verdict", id, verdict: "deny", decision: "deny", reason, by: HUB_ACTOR.name, actor: HUB_ACTOR, cause };
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

/** Which guard had not answered when the time was up. */
export function lateFrame(id: string, decision: Decision): LineLate {
  const { trail = [] } = summarizeDecision(decision);
  const waiting = decision.trail.findLast(({ action }) => action === "cancelled")?.actor.name;
  return { type: "late", id, ...(waiting !== undefined && { by: waiting }), ...(trail.length > 0 && { trail: shortened(trail) }) };
}

/** Of very many steps, those of actors that had something to do with it. */
function shortened(trail: readonly DecisionStep[]): readonly DecisionStep[] {
  return trail.length <= MAX_STEPS ? trail : trail.filter(({ action }) => action !== "no-match").slice(0, MAX_STEPS);
}

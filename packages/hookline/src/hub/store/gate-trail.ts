import type { DecisionStep, DecisionSummary } from "@hookline/core/sinks";
import type { People } from "./people.js";

type Trail = readonly DecisionStep[];

/** How long the guards took, where it was taken. What the hub's took is in the time of the step that asked them. */
export function gateMsOf(trail: Trail): number | undefined {
  const times = trail.flatMap(({ durationMs, at }) => (at === "hub" ? [] : (durationMs ?? [])));
  return times.length === 0 ? undefined : believable(times.reduce((sum, ms) => sum + ms, 0));
}

const MAX_MS = 3_600_000;

/** Times are what a process says: one that claims a thousand years must not become the latency of everybody. */
export function believable(ms: number): number {
  return ms >= 0 ? Math.min(ms, MAX_MS) : 0;
}

/** Whether somebody was to be asked about it, whatever came of that. */
export function isAsked({ verdict, trail = [] }: Pick<DecisionSummary, "verdict" | "trail">): boolean {
  return verdict === "ask" || trail.some(isAsk);
}

/** The guard that asked. */
export function askerOf({ verdict, by, trail = [] }: DecisionSummary): string | undefined {
  return guardOf(trail, isAsk) ?? (verdict === "ask" ? by : undefined);
}

/** The guard that denied, or failed closed; where it was a person, the guard that asked. */
export function denierOf(decision: DecisionSummary, people: People): string | undefined {
  const { verdict, by, trail = [] } = decision;
  if (verdict !== "deny") return undefined;
  const guard = guardOf(trail, (step) => step.action === "deny" && step.handler === by && !people.said(step));
  if (guard !== undefined) return guard;
  const isFailure = trail.some(({ action, handler, failure }) => handler === by && (action === "failed" || failure !== undefined));
  return isFailure ? by : (askerOf(decision) ?? by);
}

function isAsk({ action }: DecisionStep): boolean {
  return action === "ask";
}

/** The guard of the first such step; where that only passed on what the hub said, the guard of the hub's. */
function guardOf(trail: Trail, isMeant: (step: DecisionStep) => boolean): string | undefined {
  const index = trail.findIndex(isMeant);
  const found = trail[index];
  for (let next = index + 1; trail[next]?.at === "hub"; next++) if (trail[next]?.action === found?.action) return trail[next]?.handler;
  return found?.handler;
}

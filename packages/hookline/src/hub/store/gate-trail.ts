import type { DecisionStep } from "@hookline/core/sinks";

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

/** The guard of the first such step; where that only passed on what the hub said, the guard of the hub's. */
export function guardOf(trail: Trail, isMeant: (step: DecisionStep) => boolean): string | undefined {
  const index = trail.findIndex(isMeant);
  const found = trail[index];
  for (let next = index + 1; trail[next]?.at === "hub"; next++) if (trail[next]?.action === found?.action) return trail[next]?.handler;
  return found?.handler;
}

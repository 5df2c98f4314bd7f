import type { DecisionStep, DecisionSummary } from "@hookline/core/sinks";

type Trail = readonly DecisionStep[];

/** How long the guards took, where it was taken. What a process waited for the hub contains the times of the hub's guards. */
export function gateMsOf(trail: Trail): number | undefined {
  const own = trail.filter(({ actor }) => actor.at === undefined);
  const times = (own.length > 0 ? own : trail).flatMap(({ durationMs }) => durationMs ?? []);
  return times.length === 0 ? undefined : believable(times.reduce((sum, ms) => sum + ms, 0));
}

const MAX_MS = 3_600_000;

/** Processes report their own times: a claim of a thousand years must not distort the latencies. */
export function believable(ms: number): number {
  return ms >= 0 ? Math.min(ms, MAX_MS) : 0;
}

/** Whether a person was to be asked about it, whatever came of that. */
export function isAsked({ verdict, trail = [] }: Pick<DecisionSummary, "verdict" | "trail">): boolean {
  return verdict === "ask" || trail.some(isAsk);
}

/** The first guard that asked; not the handler that only asked the hub. */
export function askerOf({ verdict, by, trail = [] }: DecisionSummary): string | undefined {
  const asks = trail.filter(isAsk);
  return (asks.find(({ actor }) => actor.kind !== "hub") ?? asks[0])?.actor.name ?? (verdict === "ask" ? by : undefined);
}

/** The guard that denied, or failed closed; where a person did, the guard that asked. */
export function denierOf(decision: DecisionSummary): string | undefined {
  const { verdict, by, actor } = decision;
  if (verdict !== "deny") return undefined;
  if (actor?.kind === "policy") return askerOf(decision);
  // Version 1 of the envelope has only a name.
  const isGuard = actor === undefined ? by !== undefined : actor.kind !== "person";
  return isGuard ? by : (askerOf(decision) ?? by);
}

function isAsk({ action }: DecisionStep): boolean {
  return action === "ask";
}

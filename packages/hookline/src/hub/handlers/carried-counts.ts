import type { Bus, HandlerStats } from "@hookline/core";

type Counts = Pick<HandlerStats, "calls" | "failures" | "timeouts" | "denies" | "lastFiredAt">;
type Key = Pick<HandlerStats, "owner" | "name" | "event">;

/** Handlers are registered again when something before them changes; their counts carry over. */
export interface CarriedCounts {
  /** Before the handlers of an owner, or one of them, are taken off the bus. */
  keep(isMeant: (key: Key) => boolean): void;
  /** A handler's counts with what it had done before. */
  add<T extends Key & Counts>(stats: T): T;
}

export function createCarriedCounts(bus: Bus): CarriedCounts {
  const kept = new Map<string, Counts>();
  return {
    keep(isMeant) {
      for (const stats of bus.stats(isMeant)) if (stats.calls > 0) kept.set(keyOf(stats), sum(stats, kept.get(keyOf(stats))));
    },
    add(stats) {
      const before = kept.get(keyOf(stats));
      return before === undefined ? stats : { ...stats, ...sum(stats, before), neverFired: false };
    },
  };
}

function sum(now: Counts, before: Counts | undefined): Counts {
  const { calls, failures, timeouts, denies, lastFiredAt } = now;
  if (before === undefined) return { calls, failures, timeouts, denies, lastFiredAt };
  return {
    calls: calls + before.calls,
    failures: failures + before.failures,
    timeouts: timeouts + before.timeouts,
    denies: denies + before.denies,
    lastFiredAt: Math.max(lastFiredAt ?? 0, before.lastFiredAt ?? 0) || undefined,
  };
}

function keyOf({ owner = "", name, event }: Key): string {
  return JSON.stringify([owner, name, event]);
}

import type { Tuning } from "./tuning.js";

export interface Restarts {
  /** In all. */
  readonly count: number;
  /** How long to wait before the next one; `undefined` when there have been enough. `ranMs` is how long the process had been running. */
  next(ranMs: number): number | undefined;
  /** Somebody has changed something: count from zero again. */
  forgive(): void;
}

/** Three times, 250 ms apart and then twice as long each time. */
export function createRestarts({ maxRestarts, restartBaseMs, restartMaxMs, stableAfterMs }: Tuning): Restarts {
  let count = 0;
  let inRow = 0;
  return {
    get count() {
      return count;
    },
    next(ranMs) {
      if (ranMs >= stableAfterMs) inRow = 0;
      if (inRow >= maxRestarts) return undefined;
      count++;
      return Math.min(restartBaseMs * 2 ** inRow++, restartMaxMs);
    },
    forgive() {
      inRow = 0;
    },
  };
}

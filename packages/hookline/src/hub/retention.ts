import type { Store } from "./store/store.js";

const FIRST_MS = 5_000;
const PERIOD_MS = 10 * 60_000;

export interface RetentionLimits {
  readonly maxAgeMs?: number;
  readonly maxBytes?: number;
}

/** Where the file says nothing: a hub nobody looks after must not fill the disk. */
const DEFAULTS: RetentionLimits = { maxBytes: 2 * 1024 ** 3 };

/** Lets go of old events from time to time; a little after the start, so that starting is quick. */
export function keepWithin(store: Pick<Store, "retain">, limits: RetentionLimits, onProblem: (text: string) => void): () => void {
  let timer = setTimeout(run, FIRST_MS).unref();

  function run(): void {
    store
      .retain({ ...DEFAULTS, ...limits })
      .catch((error: unknown) => {
        // One that is closed meanwhile goes on at the next start.
        if (!isStopped) onProblem(`Old events could not be removed: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => {
        if (!isStopped) timer = setTimeout(run, PERIOD_MS).unref();
      });
  }
  let isStopped = false;
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

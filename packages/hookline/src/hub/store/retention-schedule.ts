import { isDeepStrictEqual } from "node:util";
import { errorText } from "@hookline/core";
import type { Store } from "./store.js";

const FIRST_MS = 5_000;
const PERIOD_MS = 10 * 60_000;

export interface RetentionLimits {
  readonly maxAgeMs?: number;
  readonly maxBytes?: number;
}

export interface Retention {
  /** Keeps within other limits from now on; those that differ are applied soon, as at the start. */
  adopt(limits: RetentionLimits): void;
  close(): void;
}

/** The default, because an unattended hub must not fill the disk. */
const DEFAULTS: RetentionLimits = { maxBytes: 2 * 1024 ** 3 };

/** Lets go of old events from time to time; a little after the start, so that starting is quick. */
export function keepWithin(store: Pick<Store, "retain">, limits: RetentionLimits, onProblem: (text: string) => void): Retention {
  let current = limits;
  let applied = limits;
  let isRunning = false;
  let isStopped = false;
  let timer = setTimeout(run, FIRST_MS).unref();

  function run(): void {
    isRunning = true;
    applied = current;
    store
      .retain({ ...DEFAULTS, ...applied })
      .catch((error: unknown) => {
        // One that is closed meanwhile goes on at the next start.
        if (!isStopped) onProblem(`Old events could not be removed: ${errorText(error)}`);
      })
      .finally(() => {
        isRunning = false;
        wait(isDeepStrictEqual(applied, current) ? PERIOD_MS : FIRST_MS);
      });
  }

  function wait(ms: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(run, ms).unref();
  }

  return {
    adopt(next) {
      if (isDeepStrictEqual(next, current)) return;
      current = next;
      // Two at once would only be in each other's way.
      if (!isRunning) wait(FIRST_MS);
    },
    close() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { performance } from "node:perf_hooks";
import type { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";

const LOWEST = 19;

/**
 * A hub on the same machine comes first. Linux has a priority for each thread, and those that collect garbage are there already: without them,
 * they would compete with the hub. A thread inside the hub lowers itself only, which no other system can do.
 */
export function lowerPriority(): void {
  try {
    if (process.platform !== "linux" && !isMainThread) return;
    setPriority(LOWEST);
    if (process.platform !== "linux" || !isMainThread) return;
    for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), LOWEST);
  } catch {
    // Some systems do not allow it, and a thread may have ended.
  }
}

const WORK_MS = 1;
const REST_MS = 9;
/** A hub that has just recorded something will decide something soon. */
const BUSY_MS = 300;

/**
 * Pauses while a hub records. A low priority alone is not enough: it does not count between sessions of a terminal on Linux, and a processor
 * that wakes up for the hub's thread still has the caches of the backtest. Call the function that it returns often.
 */
export function createRests(store: DatabaseSync, sleep = sleepSync): () => void {
  const query = store.prepare("PRAGMA data_version");
  const versionOf = (): number => (query.get() as { readonly data_version: number }).data_version;
  let version = versionOf();
  let [workUntil, busyUntil] = [performance.now() + WORK_MS, 0];
  return () => {
    const now = performance.now();
    if (now < workUntil) return;
    const found = versionOf();
    if (found !== version) busyUntil = now + BUSY_MS;
    version = found;
    if (now < busyUntil) sleep(REST_MS);
    workUntil = performance.now() + WORK_MS;
  };
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

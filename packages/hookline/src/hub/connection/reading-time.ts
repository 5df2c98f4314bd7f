import { performance } from "node:perf_hooks";

/**
 * A peer's time runs only while the hub reads: what it sent while the process was held up (by a large store, a stopped process, a busy
 * machine) lies in the system's buffers, and timers run before those are read.
 */
const STEPS = 8;

/** Calls `onOver` after that much time, of which a stall of the process costs at most an eighth. Returns how to stop it. */
export function afterReading(ms: number, onOver: () => void): () => void {
  let left = STEPS;
  let timer = setTimeout(step, ms / STEPS).unref();
  function step(): void {
    left--;
    if (left === 0) onOver();
    else timer = setTimeout(step, ms / STEPS).unref();
  }
  return () => clearTimeout(timer);
}

export interface StallLog {
  /** How long the process was held up within the last `ms` in which it was not. */
  within(ms: number): number;
  close(): void;
}

/** Of those before, no request is left. */
const MAX_STALLS = 64;

/** Notices that the process was held up for longer than `everyMs`. */
export function createStallLog(everyMs: number): StallLog {
  const stalls: { readonly end: number; readonly ms: number }[] = [];
  let last = performance.now();
  const lostAt = (now: number): number => Math.max(0, now - last - everyMs);
  const timer = setInterval(() => {
    const now = performance.now();
    const ms = lostAt(now);
    if (ms > 0) stalls.unshift({ end: now, ms });
    stalls.length = Math.min(stalls.length, MAX_STALLS);
    last = now;
  }, everyMs).unref();
  return {
    within(ms) {
      const now = performance.now();
      let lost = lostAt(now);
      for (const stall of stalls) if (stall.end > now - ms - lost) lost += stall.ms;
      return lost;
    },
    close: () => clearInterval(timer),
  };
}

/** Two turns later whatever had arrived has been read. */
export function afterArrivals(look: () => void): void {
  setImmediate(() => setImmediate(look));
}

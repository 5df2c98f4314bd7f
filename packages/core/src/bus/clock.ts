/**
 * A clock that is right to about 100 ms and costs a field read: neither a handler's "last fired" nor a deadline seconds away
 * deserves the 40–60 ns of a clock read per call. It is read once, then goes stale by a timer, so an idle process has no timer at all.
 */
export const COARSE_MS = 100;

const clock = { tick: 0, monotonic: 0 };
const startedAt = Date.now();

/** Tenths of a second since the module was loaded, from 1: a small integer, which a field can hold without a box. */
export function coarseTick(): number {
  return clock.tick !== 0 ? clock.tick : refresh();
}

/** `performance.now()` as it was at most `COARSE_MS` ago (longer only while something blocks the event loop). */
export function coarseMonotonic(): number {
  if (clock.tick === 0) refresh();
  return clock.monotonic;
}

/** Milliseconds since 1970 of a tick. */
export function timeOfTick(tick: number): number {
  return startedAt + (tick - 1) * COARSE_MS;
}

function refresh(): number {
  clock.tick = Math.max(1, Math.floor((Date.now() - startedAt) / COARSE_MS) + 1);
  clock.monotonic = performance.now();
  unref(setTimeout(goStale, COARSE_MS));
  return clock.tick;
}

function goStale(): void {
  clock.tick = 0;
  onStale();
}

let onStale = (): void => {};

/** Calls back each time the clock goes stale, that is within 100 ms of any activity. */
export function whenStale(callback: () => void): void {
  onStale = callback;
}

/** Browsers hand out numbers for timers; Node's can be told not to keep the process alive. */
export function unref(timer: unknown): void {
  (timer as { unref?: () => void } | undefined)?.unref?.();
}

export function ref(timer: unknown): void {
  (timer as { ref?: () => void } | undefined)?.ref?.();
}

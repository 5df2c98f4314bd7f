/**
 * A clock that is right to about 100 ms and costs a field read: neither a handler's "last fired" nor a deadline seconds away
 * deserves the 40–60 ns of a clock read per call. It is read once, then goes stale by a timer, so an idle process has no timer at all.
 */
export const COARSE_MS = 100;

const clock = { tick: 0, monotonic: 0 };

/** Tenths of a second of `performance.now()`, from 1: a small integer, which a field can hold without a box. */
export function coarseTick(): number {
  return clock.tick !== 0 ? clock.tick : refresh();
}

/** `performance.now()` as it was at most `COARSE_MS` ago; longer only while something blocks the event loop, and then `whenStale` tells. */
export function coarseMonotonic(): number {
  if (clock.tick === 0) refresh();
  return clock.monotonic;
}

/** Milliseconds since 1970 of a tick. */
export function timeOfTick(tick: number): number {
  return Math.round(Date.now() - performance.now()) + (tick - 1) * COARSE_MS;
}

function refresh(): number {
  clock.monotonic = performance.now();
  clock.tick = Math.floor(clock.monotonic / COARSE_MS) + 1;
  unref(setTimeout(goStale, COARSE_MS));
  return clock.tick;
}

/** Ends a reading that should have ended long ago: the event loop was blocked, and another timer came before ours. */
export function endOverdueReading(now: number): void {
  if (now - clock.monotonic > COARSE_MS) goStale();
}

function goStale(): void {
  if (clock.tick === 0) return;
  const readAt = clock.monotonic;
  clock.tick = 0;
  onStale(readAt);
}

let onStale = (_readAt: number): void => {};

/** Calls back each time the clock goes stale, that is within 100 ms of any activity, with what it has shown until then. */
export function whenStale(callback: (readAt: number) => void): void {
  onStale = callback;
}

/** Browsers hand out numbers for timers; Node's can be told not to keep the process alive. */
export function unref(timer: unknown): void {
  (timer as { unref?: () => void } | undefined)?.unref?.();
}

export function ref(timer: unknown): void {
  (timer as { ref?: () => void } | undefined)?.ref?.();
}

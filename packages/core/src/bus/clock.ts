/**
 * A wall clock that is right to about 100 ms and costs a field read: a handler's "last fired" does not deserve
 * the 40–60 ns of a clock read per call. It is read once, then goes stale by a timer, so an idle process has no timer at all.
 */
const clock = { now: 0 };

export function coarseNow(): number {
  return clock.now !== 0 ? clock.now : refresh();
}

function refresh(): number {
  clock.now = Date.now();
  unref(setTimeout(goStale, 100));
  return clock.now;
}

function goStale(): void {
  clock.now = 0;
}

/** Browsers hand out numbers for timers; Node's can be told not to keep the process alive. */
export function unref(timer: unknown): void {
  (timer as { unref?: () => void } | undefined)?.unref?.();
}

export function ref(timer: unknown): void {
  (timer as { ref?: () => void } | undefined)?.ref?.();
}

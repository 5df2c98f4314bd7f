/** A connection's clock and timers. Tests bring their own. */
export interface ConnectionTimers {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Runs once after that time, without keeping the process alive; gives back what cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export interface Backoff {
  /** Before the second try. Default 50. */
  readonly baseMs?: number;
  /** Default 2000. */
  readonly maxMs?: number;
}

export const systemTimers: ConnectionTimers = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** How long to wait after so many failures in a row: doubling to `maxMs`, and between half and all of it, so that many clients do not come back at once. */
export function backoffDelay(failures: number, random: () => number, { baseMs = 50, maxMs = 2000 }: Backoff = {}): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures, 30));
  return full * (0.5 + random() / 2);
}

/** A connection's clock and timers. Tests bring their own. */
export interface ConnectionTimers {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Runs once after that time, without keeping the process alive; gives back what cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemTimers: ConnectionTimers = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface TimeLimit {
  readonly timers: ConnectionTimers;
  readonly limitMs: number;
  /** The caller's own way to end it. */
  readonly signal: AbortSignal;
  /** Why it was aborted when the time is up. */
  readonly late: () => Error;
}

/** Runs with a signal that is aborted when the time is up or the caller aborts, whichever comes first. */
export async function withTimeLimit<T>({ timers, limitMs, signal, late }: TimeLimit, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const cancel = timers.after(limitMs, () => controller.abort(late()));
  const forget = onAbort(signal, (reason) => controller.abort(reason));
  try {
    return await run(controller.signal);
  } finally {
    cancel();
    forget();
  }
}

/** Calls back when the signal is aborted, also when that has happened already; gives back what takes the listener off. */
export function onAbort(signal: AbortSignal, call: (reason: unknown) => void): () => void {
  const listener = (): void => call(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

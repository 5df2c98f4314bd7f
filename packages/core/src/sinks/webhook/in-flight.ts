/** The requests under way, so that closing can wait for them, and end them when they take too long. */
export interface InFlight {
  readonly isClosed: boolean;
  /** Runs something with a signal that the caller's and the end of closing both abort. */
  run<T>(signal: AbortSignal, task: (either: AbortSignal) => Promise<T>): Promise<T>;
  /** Resolves when nothing runs any more: by itself, or at the deadline. */
  close(): Promise<void>;
}

export function createInFlight(closeTimeoutMs: number): InFlight {
  const running = new Map<Promise<unknown>, AbortController>();
  let closing: Promise<void> | undefined;

  async function run<T>(signal: AbortSignal, task: (either: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    // `AbortSignal.any` came with Node 20.3.
    const onAbort = () => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const work = task(controller.signal);
    running.set(work, controller);
    try {
      return await work;
    } finally {
      running.delete(work);
      signal.removeEventListener("abort", onAbort);
    }
  }

  async function drain(): Promise<void> {
    const timer = setTimeout(() => abortAll(), closeTimeoutMs);
    timer.unref();
    await Promise.allSettled(running.keys());
    clearTimeout(timer);
  }

  function abortAll(): void {
    for (const controller of running.values()) controller.abort(new Error("the sink was closed"));
  }
  return {
    get isClosed() {
      return closing !== undefined;
    },
    run,
    close() {
      closing ??= drain();
      return closing;
    },
  };
}

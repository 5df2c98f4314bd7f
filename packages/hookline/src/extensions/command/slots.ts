/** Limits how many calls run at the same time. A bounded number may wait; the rest is refused. */
export interface Slots {
  readonly running: number;
  readonly waiting: number;
  /**
   * Resolves with a function that releases the slot. Returns `undefined` if the queue is full; resolves with `undefined` if the signal
   * aborts.
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createSlots({ maxRunning, maxWaiting }: { readonly maxRunning: number; readonly maxWaiting: number }): Slots {
  const line = new Set<() => void>();
  let running = 0;

  const release = () => {
    running--;
    const [next] = line;
    next?.();
  };
  const occupy = () => {
    running++;
    let isHeld = true;
    return () => {
      if (isHeld) release();
      isHeld = false;
    };
  };
  const queue = (signal: AbortSignal) =>
    new Promise<(() => void) | undefined>((resolve) => {
      const enter = () => {
        leave();
        resolve(occupy());
      };
      const giveUp = () => {
        leave();
        resolve(undefined);
      };
      const leave = () => {
        line.delete(enter);
        signal.removeEventListener("abort", giveUp);
      };
      line.add(enter);
      signal.addEventListener("abort", giveUp);
    });

  return {
    get running() {
      return running;
    },
    get waiting() {
      return line.size;
    },
    async take(signal) {
      if (signal.aborted) return undefined;
      if (running < maxRunning) return occupy();
      return line.size < maxWaiting ? queue(signal) : undefined;
    },
  };
}

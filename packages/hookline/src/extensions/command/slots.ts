/** Lets so many go at a time; as many again may wait in line, and the rest is turned away. */
export interface Slots {
  readonly running: number;
  readonly waiting: number;
  /** Resolves with the way to give the place back; `undefined` at once when the line is full, or later when the signal is aborted. */
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

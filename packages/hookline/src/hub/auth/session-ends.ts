/** Who wants to know when a session ends. */
export interface SessionEnds {
  /** The session ends now. */
  tell(digest: string): void;
  /** Told once: when somebody says so, or when its time is over. Returns how to stop. */
  watch(digest: string, until: number, listener: () => void): () => void;
}

/** What Node's timers can wait for at most. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export function createSessionEnds(now: () => number): SessionEnds {
  const watchers = new Map<string, Set<() => void>>();

  function tell(digest: string): void {
    for (const end of [...(watchers.get(digest) ?? [])]) end();
  }

  return {
    tell,
    watch(digest, until, listener) {
      const own = watchers.get(digest) ?? new Set();
      watchers.set(digest, own);
      const timer = setTimeout(() => end(), Math.min(MAX_DELAY_MS, Math.max(0, until - now()))).unref();
      const stop = (): void => {
        clearTimeout(timer);
        own.delete(end);
        if (own.size === 0 && watchers.get(digest) === own) watchers.delete(digest);
      };
      const end = (): void => {
        stop();
        listener();
      };
      own.add(end);
      return stop;
    },
  };
}

const MAX_KEPT = 10_000;

/** What makes two calls one, and for how long after the first has been answered. */
export interface Sameness {
  readonly key: string;
  readonly windowMs: number;
}

/** Does the same thing once: a second call with the same key, while the first is under way or shortly after, gets the first's answer. */
export function createRecent<T>(): { once(same: Sameness | undefined, run: () => Promise<T>): Promise<T> } {
  const kept = new Map<string, Promise<T>>();
  return {
    once(same, run) {
      if (same === undefined) return run();
      const { key, windowMs } = same;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const running = run();
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string);
      kept.set(key, running);
      const forget = (): void => void (kept.get(key) === running && kept.delete(key));
      running.then(() => setTimeout(forget, windowMs).unref(), forget);
      return running;
    },
  };
}

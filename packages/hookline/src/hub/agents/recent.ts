const MAX_KEPT = 10_000;

/** What makes two calls one, and for how long after the first has been answered. */
export interface Sameness {
  readonly key: string;
  readonly windowMs: number;
  /** Which way it came. */
  readonly door: string;
  /** The agent has given the call a name. If not, what comes through the same door twice is two calls that look alike. */
  readonly isCertain: boolean;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly doors: Set<string>;
  settled?: { readonly answer: T };
}

/**
 * Does the same thing once: a second delivery of a call, while the first is under way or shortly after, gets the first's answer, as long as
 * that still holds.
 */
export function createRecent<T>(holds: (answer: T) => boolean = () => true): {
  once(same: Sameness | undefined, run: () => Promise<T>): Promise<T>;
} {
  const kept = new Map<string, Kept<T>>();

  function keep({ key, windowMs, door }: Sameness, answer: Promise<T>): void {
    const entry: Kept<T> = { answer, doors: new Set([door]) };
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string);
    kept.set(key, entry);
    const forget = (): void => void (kept.get(key) === entry && kept.delete(key));
    answer.then((settled) => {
      entry.settled = { answer: settled };
      setTimeout(forget, windowMs).unref();
    }, forget);
  }

  return {
    once(same, run) {
      if (same === undefined) return run();
      const found = kept.get(same.key);
      const known = found?.settled === undefined || holds(found.settled.answer) ? found : undefined;
      if (known !== undefined && (same.isCertain || !known.doors.has(same.door))) {
        known.doors.add(same.door);
        return known.answer;
      }
      const answer = run();
      keep(same, answer);
      return answer;
    },
  };
}

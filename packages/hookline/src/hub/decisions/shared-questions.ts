const MAX_KEPT = 1_000;

interface Shared<T> {
  readonly content: string;
  readonly answer: Promise<T>;
  readonly abort: AbortController;
  /** The callers that wait for it. */
  waiting: number;
  isAnswered: boolean;
  settled?: { readonly answer: T };
}

interface Asked {
  readonly key: string;
  /** What is asked: under one key it is always the same. */
  readonly content: string;
  /** How long the answer is kept for a client that asks again. */
  readonly keepMs: number;
}

/** A client that asks again, because its connection broke, gets the answer to its first question. */
export interface SharedQuestions<T> {
  /**
   * Asks, or joins a caller that asks the same. The question is given up when the last of them has gone; that one gets its answer all the same,
   * the others their signal's reason. Throws for another content under a key that is in use.
   */
  ask(asked: Asked, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface SharingOptions<T> {
  readonly onConflict: () => Error;
  /** Whether an answer that was given still is one. */
  readonly holds?: (answer: T) => boolean;
}

export function createSharedQuestions<T>({ onConflict, holds = () => true }: SharingOptions<T>): SharedQuestions<T> {
  const kept = new Map<string, Shared<T>>();

  function open({ key, content, keepMs }: Asked, run: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController();
    const shared: Shared<T> = { content, answer: run(abort.signal), abort, waiting: 0, isAnswered: false };
    if (kept.size >= MAX_KEPT) forgetOldest();
    kept.set(key, shared);
    const forget = (): void => void (kept.get(key) === shared && kept.delete(key));
    const settled = (answer: T): void => {
      shared.isAnswered = true;
      shared.settled = { answer };
      // What was given up may be asked again.
      if (abort.signal.aborted) forget();
      else setTimeout(forget, keepMs).unref();
    };
    shared.answer.then(settled, () => {
      shared.isAnswered = true;
      forget();
    });
    return shared;
  }

  function forgetOldest(): void {
    for (const [key, { isAnswered }] of kept) if (isAnswered) return void kept.delete(key);
  }

  function join(shared: Shared<T>, signal: AbortSignal): Promise<T> {
    shared.waiting++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        shared.waiting--;
        if (shared.waiting > 0 && !shared.isAnswered) reject(signal.reason);
        else shared.abort.abort(signal.reason);
      };
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
      shared.answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
    });
  }

  return {
    async ask(asked, signal, run) {
      const found = kept.get(asked.key);
      const known = found?.settled === undefined || holds(found.settled.answer) ? found : undefined;
      if (known !== undefined && known.content !== asked.content) throw onConflict();
      const isUsable = known !== undefined && !known.abort.signal.aborted;
      return join(isUsable ? known : open(asked, run), signal);
    },
  };
}

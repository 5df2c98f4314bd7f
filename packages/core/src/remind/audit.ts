import { HookError, quietly } from "../catalog/errors.js";
import type { ReminderChange } from "./types.js";

export type ChangeListener = (change: ReminderChange) => unknown;

// Calls that listeners make while they are told: far above what anyone means to, far below a hang.
const MAX_LATE = 1000;

/** Tells listeners of changes, in the order they happened, also those that listeners cause themselves. No failure of theirs comes back. */
export class Audit {
  untold = 0;
  readonly #listeners = new Set<{ readonly tell: ChangeListener; hasFailed: boolean }>();
  readonly #queue: ReminderChange[] = [];
  readonly #onError: (error: Error) => void;
  #isTelling = false;
  #late = 0;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  listen(tell: ChangeListener): () => void {
    if (typeof tell !== "function")
      throw new HookError("HL_BAD_HANDLER", `A reminder book's listener is a function, not a ${typeof tell}.`);
    const listener = { tell, hasFailed: false };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(changes: readonly ReminderChange[]): void {
    if (this.#listeners.size === 0 || changes.length === 0) return;
    if (this.#isTelling && ++this.#late > MAX_LATE) {
      this.untold += changes.length;
      return;
    }
    for (const change of changes) this.#queue.push(change);
    if (!this.#isTelling) this.#drain();
  }

  #drain(): void {
    this.#isTelling = true;
    // The queue grows under this loop when a listener changes the book.
    for (const change of this.#queue) for (const listener of [...this.#listeners]) this.#call(listener, change);
    if (this.#late > MAX_LATE) this.#report(cycle());
    this.#queue.length = 0;
    this.#late = 0;
    this.#isTelling = false;
  }

  #call(listener: { readonly tell: ChangeListener; hasFailed: boolean }, change: ReminderChange): void {
    const failed = (cause: unknown): void => {
      if (listener.hasFailed) return;
      listener.hasFailed = true;
      this.#report(failure(change, cause));
    };
    try {
      const answer = listener.tell(change);
      if (answer instanceof Promise) answer.catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  #report(error: HookError): void {
    quietly(() => this.#onError(error));
  }
}

function failure(change: ReminderChange, cause: unknown): HookError {
  const event = `reminder:${change.change}`;
  return new HookError("HL_HANDLER_FAILED", `A listener of the reminder book failed at "${event}"; its later failures are not reported.`, {
    event,
    cause,
  });
}

function cycle(): HookError {
  return new HookError(
    "HL_DEPTH",
    `Listeners changed the reminder book more than ${MAX_LATE} times in response to changes. Later changes were applied, but no listener was told.`,
  );
}

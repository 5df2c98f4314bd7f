import type { ConnectionSettings } from "./connection-options.js";
import { backoffDelay } from "./timing.js";

// A connection that lasted less may belong to a peer that falls over at once: the pauses go on growing.
const STEADY_MS = 1000;

/** When to try again. */
export class Redial {
  readonly #settings: ConnectionSettings;
  readonly #dial: () => void;
  #failures = 0;
  #upAt = Number.POSITIVE_INFINITY;
  #dueAt = Number.NEGATIVE_INFINITY;
  #cancel = (): void => {};

  constructor(settings: ConnectionSettings, dial: () => void) {
    this.#settings = settings;
    this.#dial = dial;
  }

  /** What is left of the pause; 0 or less when it is over or there is none. */
  get waitMs(): number {
    return this.#dueAt - this.#settings.timers.now();
  }

  up(): void {
    this.#upAt = this.#settings.timers.now();
  }

  /** However long it stood, a peer that does not read is not to be dialled at once. */
  stalled(): void {
    this.#upAt = Number.POSITIVE_INFINITY;
  }

  /** The connection is lost, or could not be made: dials after a pause. */
  lost(): void {
    const { timers, random, backoff } = this.#settings;
    const now = timers.now();
    if (now - this.#upAt >= STEADY_MS) this.#failures = 0;
    this.#upAt = Number.POSITIVE_INFINITY;
    const delayMs = backoffDelay(this.#failures++, random, backoff);
    this.#dueAt = now + delayMs;
    this.#cancel();
    this.#cancel = timers.after(delayMs, this.#dial);
  }

  cancel(): void {
    this.#cancel();
  }
}

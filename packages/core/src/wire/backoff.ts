import type { ConnectionSettings } from "./connection-options.js";

/** How long a connection waits before it tries again. */
export interface Backoff {
  /** Before the second try. Default 50. */
  readonly baseMs?: number;
  /** Default 2000. */
  readonly maxMs?: number;
}

export interface BackoffOptions extends Backoff {
  /** Which part of the delay is random, so that many clients do not come back at once: 0 for none of it, 1 for all. Default 0.5. */
  readonly jitter?: number;
  /** Between 0 and 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** How long to wait after so many failures in a row: doubles up to `maxMs`. */
export function backoffDelay(failures: number, options: BackoffOptions = {}): number {
  const { baseMs = 50, maxMs = 2000, jitter = 0.5, random = Math.random } = options;
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures, 30));
  return full * (1 - jitter + jitter * random());
}

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
    const delayMs = backoffDelay(this.#failures++, { ...backoff, random });
    this.#dueAt = now + delayMs;
    this.#cancel();
    this.#cancel = timers.after(delayMs, this.#dial);
  }

  cancel(): void {
    this.#cancel();
  }
}

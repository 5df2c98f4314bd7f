import type { Envelope } from "../../catalog/envelope.js";
import { appendDeadLetter, causeText } from "./dead-letter.js";
import type { Veil } from "./veil.js";

export interface DeadLetterBox {
  /** Whether it is in the file. Does not throw: a full disk must not break a delivery. */
  keep(batch: readonly Envelope[], cause: unknown): boolean;
}

export interface DeadLetterBoxOptions {
  readonly path: string | undefined;
  readonly url: string;
  readonly veil: Veil;
  readonly counters: { deadLettered: number; lost: number };
}

/** The dead-letter file of one sink, and what it counts. */
export function createDeadLetterBox({ path, url, veil, counters }: DeadLetterBoxOptions): DeadLetterBox {
  function keep(envelopes: readonly Envelope[], cause: unknown): boolean {
    if (path === undefined) return false;
    try {
      appendDeadLetter(path, { at: new Date().toISOString(), url, cause: veil(causeText(cause)), envelopes });
      counters.deadLettered += envelopes.length;
      return true;
    } catch {
      counters.lost += envelopes.length;
      return false;
    }
  }
  return { keep };
}

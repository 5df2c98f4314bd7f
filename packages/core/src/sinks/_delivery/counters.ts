import type { SendResult } from "../sink.js";

/** Why an accepted event never arrived. */
export type DropReason = "queue_full" | "too_large" | "retry_exhausted" | "failed" | "closed";

/** At all times `accepted` is `sent` and all of `dropped` and `pending` together. */
export interface SinkCounters {
  readonly accepted: number;
  readonly sent: number;
  /** On its way: recorded, queued or being sent. */
  readonly pending: number;
  /** By reason; only reasons that have occurred are there. */
  readonly dropped: { readonly [R in DropReason]?: number };
}

/** Counts what becomes of events. What is pending is counted where it stands, not here, so that the sum can be checked. */
export class DropLedger {
  accepted = 0;
  sent = 0;
  readonly #dropped: { [R in DropReason]?: number } = {};

  drop(reason: DropReason, count = 1): void {
    if (count > 0) this.#dropped[reason] = (this.#dropped[reason] ?? 0) + count;
  }

  snapshot(pending: number): SinkCounters {
    return { accepted: this.accepted, sent: this.sent, pending, dropped: { ...this.#dropped } };
  }
}

/** Why a batch with this result was dropped. */
export function reasonOf(result: Exclude<SendResult, { status: "sent" }>): "retry_exhausted" | "failed" {
  const code = (result.cause as { readonly code?: unknown } | null | undefined)?.code;
  return result.status === "retry" || code === "HL_RETRY_EXHAUSTED" ? "retry_exhausted" : "failed";
}

import type { ForwardDropReason, GateCounters, HubConnectionCounters } from "./hub-connection.js";

/** Counts what becomes of events. What is pending is counted where it stands, not here, so that the sum can be checked. */
export class Ledger {
  accepted = 0;
  acked = 0;
  spooled = 0;
  attached = 0;
  readonly #dropped: { [R in ForwardDropReason]?: number } = {};

  drop(reason: ForwardDropReason, count = 1): void {
    if (count > 0) this.#dropped[reason] = (this.#dropped[reason] ?? 0) + count;
  }

  snapshot(pending: number, seq: number, gates: GateCounters): HubConnectionCounters {
    const { accepted, acked, spooled, attached } = this;
    const reconnects = Math.max(0, attached - 1);
    return { accepted, acked, pending, dropped: { ...this.#dropped }, spooled, reconnects, seq, gates: { ...gates } };
  }
}

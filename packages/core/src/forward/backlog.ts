import type { Outgoing } from "./outgoing.js";

/** Holds events from the moment they are taken until they are settled, in order. */
export interface Backlog {
  /** All that is not settled, what is on its way included. */
  readonly pending: number;
  /** The number of the oldest that waits to be given out; infinite when none does. */
  readonly firstOrder: number;
  /** Takes an event, and counts what is dropped for it. Never throws. */
  push(item: Outgoing): void;
  /** Gives out the oldest that waits. It stays pending until it is settled or put back. */
  next(): Outgoing | undefined;
  /** Takes back what was given out and not settled, in order. */
  putBack(items: readonly Outgoing[]): void;
  settle(item: Outgoing): void;
  /** On the way out: leaves what is on disk to the hub and gives what only memory holds. Nothing is pending afterwards. */
  release(): { readonly left: number; readonly rest: readonly Outgoing[] };
}

export interface BacklogLimits {
  readonly maxCount: number;
  readonly maxBytes: number;
}

import type { SendResult } from "../sink.js";
import type { BatchOptions } from "./batching.js";

/**
 * What to do when the queue is full. `drop-oldest` lets go of the oldest of the lowest class (bulk, then normal, then vital), never of
 * one above the newcomer's; `drop-newest` refuses the newcomer; `block` drops nothing and grows: its producer reads `isFull` and holds back.
 */
export type Overflow = "drop-oldest" | "drop-newest" | "block";

export interface QueueOptions {
  /** Default 10,000. */
  readonly maxCount?: number;
  /** Default 16 MiB. */
  readonly maxBytes?: number;
  /** Default `drop-oldest`. */
  readonly overflow?: Overflow;
  /** How much goes into one `send`, and how long the first may wait for more. */
  readonly batch?: BatchOptions;
  /** Hears the result of every batch. */
  readonly onResult?: (result: SendResult) => void;
}

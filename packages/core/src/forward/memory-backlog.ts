import { ClassLanes } from "../sinks/class-lanes.js";
import { Fifo } from "../wire/fifo.js";
import type { Backlog, BacklogLimits } from "./backlog.js";
import type { Ledger } from "./ledger.js";
import type { Outgoing } from "./outgoing.js";

/**
 * A bounded queue in memory. When it is full, the oldest of the lowest class goes. What was given out counts, and stays, also when it comes
 * back: the hub may have it, and would then count a drop without a gap.
 */
export class MemoryBacklog implements Backlog {
  readonly #limits: BacklogLimits;
  readonly #ledger: Ledger;
  readonly #lanes = new ClassLanes<Outgoing>();
  readonly #returned = new Fifo<Outgoing>();
  /** Given out and not settled, those that came back included. */
  #outCount = 0;
  #outBytes = 0;

  constructor(limits: BacklogLimits, ledger: Ledger) {
    this.#limits = limits;
    this.#ledger = ledger;
  }

  get pending(): number {
    return this.#lanes.size + this.#outCount;
  }

  get firstOrder(): number {
    return (this.#returned.first ?? this.#lanes.first)?.order ?? Number.POSITIVE_INFINITY;
  }

  push(item: Outgoing): void {
    if (item.bytes > this.#limits.maxBytes) return this.#ledger.drop("oversize");
    if (!this.#makeRoom(item)) return this.#ledger.drop("queue_full");
    this.#lanes.push(item);
  }

  next(): Outgoing | undefined {
    const returned = this.#returned.shift();
    if (returned !== undefined) return returned;
    const item = this.#lanes.shift();
    if (item !== undefined) this.#count(1, item.bytes);
    return item;
  }

  putBack(items: readonly Outgoing[]): void {
    this.#returned.putBack(items);
  }

  settle(item: Outgoing): void {
    this.#count(-1, -item.bytes);
  }

  release(): { left: number; rest: Outgoing[] } {
    const rest = this.#returned.drain();
    this.#outCount = 0;
    this.#outBytes = 0;
    for (let item = this.#lanes.shift(); item !== undefined; item = this.#lanes.shift()) rest.push(item);
    return { left: 0, rest };
  }

  #makeRoom({ rank, bytes }: Outgoing): boolean {
    const { maxCount, maxBytes } = this.#limits;
    while (this.pending + 1 > maxCount || this.#lanes.bytes + this.#outBytes + bytes > maxBytes) {
      if (this.#lanes.evict(rank) === undefined) return false;
      this.#ledger.drop("queue_full");
    }
    return true;
  }

  #count(items: number, bytes: number): void {
    this.#outCount += items;
    this.#outBytes += bytes;
  }
}

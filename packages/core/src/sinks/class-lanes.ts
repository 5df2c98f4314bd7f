import type { EventClass } from "../catalog/events.js";
import { findEvent } from "../catalog/names.js";
import { Fifo } from "../wire/fifo.js";

export interface Ranked {
  readonly bytes: number;
  /** Counts up: who came first goes first, whatever its class. */
  readonly order: number;
  /** How much it matters, as `rankOf` says. */
  readonly rank: number;
}

const CLASSES: readonly EventClass[] = ["bulk", "normal", "vital"];

/** The place of an event's class: 0 for bulk, 2 for vital. */
export function rankOf(event: string): number {
  return CLASSES.indexOf(findEvent(event)?.spec.class ?? "normal");
}

/** First in, first out; but the oldest of the lowest class can be taken out of turn. */
export class ClassLanes<T extends Ranked> {
  readonly #lanes = CLASSES.map(() => new Fifo<T>());
  size = 0;
  bytes = 0;

  push(item: T): void {
    this.#lane(item).push(item);
    this.size++;
    this.bytes += item.bytes;
  }

  get first(): T | undefined {
    return this.#firstLane()?.first;
  }

  shift(): T | undefined {
    return this.#takeFrom(this.#firstLane());
  }

  /** Takes out the oldest of the lowest class, if that class is not above `limit`. */
  evict(limit: number): T | undefined {
    const lowest = this.#lanes.findIndex((lane) => lane.first !== undefined);
    return lowest < 0 || lowest > limit ? undefined : this.#takeFrom(this.#lanes[lowest]);
  }

  #lane({ rank }: T): Fifo<T> {
    return this.#lanes[rank] as Fifo<T>;
  }

  #firstLane(): Fifo<T> | undefined {
    let found: Fifo<T> | undefined;
    for (const lane of this.#lanes)
      if (lane.first !== undefined && lane.first.order < (found?.first?.order ?? Number.POSITIVE_INFINITY)) found = lane;
    return found;
  }

  #takeFrom(lane: Fifo<T> | undefined): T | undefined {
    const item = lane?.shift();
    if (item === undefined) return undefined;
    this.size--;
    this.bytes -= item.bytes;
    return item;
  }
}

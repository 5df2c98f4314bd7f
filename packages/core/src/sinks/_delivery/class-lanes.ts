import type { Envelope } from "../../catalog/envelope.js";
import type { EventClass } from "../../catalog/events.js";
import { findEvent } from "../../catalog/names.js";

export interface Waiting {
  readonly envelope: Envelope;
  readonly bytes: number;
  /** Counts up: who came first goes first, whatever its class. */
  readonly order: number;
}

const CLASSES: readonly EventClass[] = ["bulk", "normal", "vital"];

export function classOf(envelope: Envelope): EventClass {
  return findEvent(envelope.event)?.spec.class ?? "normal";
}

/** First in, first out; but the oldest of the lowest class can be taken out of turn. */
export class ClassLanes {
  readonly #lanes = CLASSES.map(() => new Lane());
  size = 0;
  bytes = 0;

  push(item: Waiting): void {
    this.#lane(classOf(item.envelope)).push(item);
    this.size++;
    this.bytes += item.bytes;
  }

  get first(): Waiting | undefined {
    return this.#firstLane()?.first;
  }

  shift(): Waiting | undefined {
    return this.#takeFrom(this.#firstLane());
  }

  /** Takes out the oldest of the lowest class, if that class is not above `limit`. */
  evict(limit: EventClass): Waiting | undefined {
    const lowest = this.#lanes.findIndex((lane) => lane.first !== undefined);
    return lowest < 0 || lowest > CLASSES.indexOf(limit) ? undefined : this.#takeFrom(this.#lanes[lowest]);
  }

  #lane(name: EventClass): Lane {
    return this.#lanes[CLASSES.indexOf(name)] as Lane;
  }

  #firstLane(): Lane | undefined {
    let found: Lane | undefined;
    for (const lane of this.#lanes) if (lane.order < (found?.order ?? Number.POSITIVE_INFINITY)) found = lane;
    return found;
  }

  #takeFrom(lane: Lane | undefined): Waiting | undefined {
    const item = lane?.shift();
    if (item === undefined) return undefined;
    this.size--;
    this.bytes -= item.bytes;
    return item;
  }
}

class Lane {
  #items: Waiting[] = [];
  #head = 0;

  get first(): Waiting | undefined {
    return this.#items[this.#head];
  }

  get order(): number {
    return this.first?.order ?? Number.POSITIVE_INFINITY;
  }

  push(item: Waiting): void {
    this.#items.push(item);
  }

  shift(): Waiting | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    // Array.shift moves every item: 10,000 of them take seconds. Half of the list at a time costs nothing to speak of.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

import { BusEvent } from "./event.js";
import { harvestValues } from "./harvest.js";
import { observeFully } from "./observe.js";
import type { Slot } from "./slot.js";

/** Every value the handlers returned that is not null, in handler order. Those that fail are reported and left out. Never rejects. */
export async function collect(slot: Slot, payload: unknown, depth: number): Promise<unknown[]> {
  if (slot.isIdle) return [];
  const values: unknown[] = [];
  await observeFully(slot, new BusEvent(slot, payload ?? {}, depth), harvestValues(values));
  return values.filter((value) => value !== undefined && value !== null);
}

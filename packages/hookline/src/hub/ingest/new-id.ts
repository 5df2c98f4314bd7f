import { randomBytes } from "node:crypto";

/** An id for an event made here. Sorts by time, as the bus's own ids do, so that the store's index grows at its end. */
export function newId(): string {
  return Date.now().toString(36).padStart(9, "0") + randomBytes(10).toString("hex");
}

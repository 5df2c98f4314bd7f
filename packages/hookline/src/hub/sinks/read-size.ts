import type { StoredEvent } from "../store/store.js";

const MOST = 500;
const FIRST = 16;
const MAX_BYTES = 8 * 1_024 ** 2;

/** How many events to read at a time: many small ones, few large ones. An event may have 4 MiB, and several sinks may read at once. */
export class ReadSize {
  #next = FIRST;

  get next(): number {
    return this.#next;
  }

  learn(rows: readonly StoredEvent[]): void {
    const bytes = rows.reduce((sum, { body }) => sum + body.length, 0);
    const fitting = bytes <= MAX_BYTES ? this.#next * 2 : Math.floor((rows.length * MAX_BYTES) / bytes);
    this.#next = Math.max(1, Math.min(MOST, fitting));
  }
}

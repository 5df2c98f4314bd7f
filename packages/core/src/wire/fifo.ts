/** A queue whose ends cost the same however long it is. */
export class Fifo<T extends { readonly bytes: number }> {
  #items: T[] = [];
  #head = 0;
  bytes = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#head + index];
  }

  push(item: T): void {
    this.#items.push(item);
    this.bytes += item.bytes;
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.bytes -= item.bytes;
    // Array.shift moves every item; half of the list at a time costs nothing to speak of.
    if (++this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  putBack(items: readonly T[]): void {
    this.#items = items.concat(this.#items.slice(this.#head));
    this.#head = 0;
    for (const { bytes } of items) this.bytes += bytes;
  }

  /** Everything, in order; nothing is left. */
  drain(): T[] {
    const items = this.#items.slice(this.#head);
    this.#items = [];
    this.#head = 0;
    this.bytes = 0;
    return items;
  }
}

import type { Input } from "../_tape/tape.js";

/** Dispatches that never end (their process did, or a guard aborted them) must not fill the memory. */
const MAX_OPEN = 10_000;

/** What each running dispatch was given, kept until it ends: by then the event carries the rewritten payload. */
export class Inputs {
  readonly #open = new Map<string, Input>();

  get size(): number {
    return this.#open.size;
  }

  /** The first handler called sees what the dispatch was given; only a handler can rewrite it. */
  begin(id: string, input: Input): void {
    if (this.#open.has(id)) return;
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(id, input);
  }

  end(id: string): Input | undefined {
    const input = this.#open.get(id);
    this.#open.delete(id);
    return input;
  }
}

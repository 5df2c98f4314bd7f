import { HookError } from "@hookline/core";
import type { EnvelopeSource } from "@hookline/core/sinks";
import { weightOf } from "../ingest/weight.js";

/** A person cannot read more, or answer in time. */
const MAX_WAITING = 1_000;
const MAX_OF_A_SOURCE = 200;
const MAX_CHARS = 1_000_000;
const MAX_CHARS_TOGETHER = 16_000_000;

/** What may wait for a person at a time: a process that asks without end must not hide the others' questions, nor fill the hub. */
export class WaitingLimits {
  readonly #bySource = new Map<string, number>();
  #waiting = 0;
  #chars = 0;

  /** Takes a place for a question that `weigh` has weighed, and gives how to leave it. Throws `HL_LIMIT`. */
  enter(chars: number, source: EnvelopeSource | undefined): () => void {
    const name = source?.instance ?? "";
    const ofSource = this.#bySource.get(name) ?? 0;
    if (ofSource >= MAX_OF_A_SOURCE) throw full(`${MAX_OF_A_SOURCE} calls of this agent wait already`);
    if (this.#waiting >= MAX_WAITING || this.#chars + chars > MAX_CHARS_TOGETHER) throw full("too many calls wait already");
    this.#bySource.set(name, ofSource + 1);
    this.#waiting++;
    this.#chars += chars;
    return () => this.#leave(name, chars);
  }

  #leave(name: string, chars: number): void {
    const left = (this.#bySource.get(name) ?? 1) - 1;
    if (left > 0) this.#bySource.set(name, left);
    else this.#bySource.delete(name);
    this.#waiting--;
    this.#chars -= chars;
  }
}

/** About how many characters there are to read. Throws `HL_LIMIT` if there are too many. */
export function weigh(values: readonly unknown[]): number {
  const chars = values.reduce((sum: number, value) => sum + weightOf(value, MAX_CHARS), 0);
  if (chars > MAX_CHARS) throw full(`it has more than ${MAX_CHARS.toLocaleString("en")} characters, and a person cannot read that`);
  return chars;
}

/** The weight of a whole question: of the call, which `weigh` has admitted, and of the words about it. */
export function rowWeight(row: object): number {
  return weightOf(row, 2 * MAX_CHARS);
}

function full(why: string): HookError {
  return new HookError("HL_LIMIT", `No person can be asked: ${why}. See: hookline approvals`);
}

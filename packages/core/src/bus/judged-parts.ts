import { deepEqual } from "../match/deep-equal.js";
import { PartialCopy, snapshot } from "./snapshot.js";

/**
 * What the copy of a payload needs beyond being frozen: a Map, a Set, a Date and bytes can be written to whatever one does. So another copy is kept that no
 * handler has seen. It runs, and after each handler the one that they see is compared with it.
 */
export class JudgedParts {
  /** Paths of what is not copied. */
  readonly opaque: readonly string[];
  readonly #hidden: unknown;
  readonly #isLoose: boolean;

  constructor({ value, opaque, isLoose }: PartialCopy) {
    this.opaque = opaque;
    this.#isLoose = isLoose;
    this.#hidden = isLoose ? copyOf(value) : value;
  }

  /** Whether a handler has written to the payload that handlers see. */
  isWritten(seen: unknown): boolean {
    return this.#isLoose && !deepEqual(seen, this.#hidden);
  }

  /** The payload as it was judged: for handlers, after one has written to theirs. */
  fresh(): unknown {
    return copyOf(this.#hidden);
  }

  /** The payload as it was judged, which no handler has. */
  get judged(): unknown {
    return this.#hidden;
  }
}

/** The payload, and what is special about it. */
export function judge(payload: object): { readonly payload: unknown; readonly parts: JudgedParts | undefined } {
  const copy = snapshot(payload);
  return copy instanceof PartialCopy ? { payload: copy.value, parts: new JudgedParts(copy) } : { payload: copy, parts: undefined };
}

function copyOf(value: unknown): unknown {
  const copy = snapshot(value as object);
  return copy instanceof PartialCopy ? copy.value : copy;
}

import type { Contender } from "../measure.ts";

/** The two loops of an emitter: one name for ever, or the eight in turn so that no cache of one key flatters anybody. */
interface Loops<Sum = number | Promise<number>> {
  constant(iterations: number): Sum;
  rotating(iterations: number): Sum;
}

/**
 * Something that emits. Each has its own pair of loops although they look alike:
 * a shared loop would be a megamorphic call for all of them.
 */
export interface Emitter<Sum = number | Promise<number>> {
  readonly name: string;
  readonly role: Contender["role"];
  /** A fresh emitter with so many observers on each name. */
  open(observers: number): Loops<Sum>;
}

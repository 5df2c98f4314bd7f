import type { Actor } from "../catalog/actor.js";
import type { Registration } from "./registration.js";
import type { Ask, TrailStep } from "./types.js";

// Recognised across two copies of the package, and not enumerable, so that records and copies of an answer do not hold it.
const RELAYED = Symbol.for("hookline.relayed");

/** What others did elsewhere before a handler answered for them. */
export interface Relayed {
  /** Their steps. They follow the handler's own step in the trail. */
  readonly steps: readonly TrailStep[];
  /** The one whose verdict the answer is. Default: the handler. */
  readonly actor?: Actor | undefined;
  /** All that ask, if the verdict is `ask`. */
  readonly asks?: readonly Ask[] | undefined;
}

/** Puts what others did on the answer of a handler, or on the error that it throws. An empty list is then a pass. */
export function relay<T extends object>(answer: T, relayed: Relayed): T {
  return Object.defineProperty(answer, RELAYED, { value: relayed });
}

/** What others did, if the handler may speak for them: only one that was registered as the handler that asks the hub may. */
export function relayedBy({ parts }: Registration, answer: unknown): Relayed | undefined {
  return parts.actor.kind === "hub" ? relayedIn(answer) : undefined;
}

export function relayedIn(answer: unknown): Relayed | undefined {
  try {
    return (answer as { readonly [RELAYED]?: Relayed } | null | undefined)?.[RELAYED];
  } catch {
    // A getter or Proxy of the handler's own.
    return undefined;
  }
}

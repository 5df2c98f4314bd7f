import type { Actor } from "../catalog/actor.js";
import type { HookError } from "../catalog/errors.js";
import type { Registration } from "./registration.js";
import { thaw } from "./snapshot.js";
import type { Ask, Decision, Reminder, TrailAction, TrailStep, Verdict } from "./types.js";

export const NO_TEXTS: readonly string[] = Object.freeze([]);
export const NO_REMINDERS: readonly Reminder[] = Object.freeze([]);

export class DecisionRecord implements Decision {
  verdict: Verdict;
  allowed: boolean;
  modified = false;
  endLoop = false;
  reason: string | undefined = undefined;
  by: string | undefined = undefined;
  actor: Actor | undefined = undefined;
  cause: HookError | undefined = undefined;
  again: Decision["again"] = undefined;
  handled: Decision["handled"] = undefined;
  injections: readonly string[] = NO_TEXTS;
  reminders: readonly Reminder[] = NO_REMINDERS;
  /** Set only if a guard asks: a field of every decision would cost all the others. */
  declare asks?: readonly Ask[];
  /** Set only where something in the payload could not be copied. */
  declare opaque?: readonly string[];
  readonly #judged: unknown;
  #toRun: unknown;
  /** What happened, step by step; or, for a chain in which all passed, just its handlers and which of them did not match. */
  readonly #steps: readonly TrailStep[] | undefined;
  readonly #handlers: readonly Registration[];
  readonly #unmatched: number;

  constructor(verdict: Verdict, payload: unknown, handlers: readonly Registration[], unmatched: number, steps?: readonly TrailStep[]) {
    this.verdict = verdict;
    this.allowed = verdict === "pass" || verdict === "allow";
    this.#judged = payload;
    this.#handlers = handlers;
    this.#unmatched = unmatched;
    this.#steps = steps;
  }

  /** What the guards have judged: frozen, unless the bus does not freeze. */
  get judged(): unknown {
    return this.#judged;
  }

  /** A copy of what was judged, for the host alone. It is made when it is first read: most decisions are only looked at. */
  get payload(): unknown {
    this.#toRun ??= this.copy();
    return this.#toRun;
  }

  /** A new copy; without a copy that was judged, the payload itself. */
  copy(): unknown {
    const judged = this.#judged;
    try {
      return Object.isFrozen(judged) ? thaw(judged) : judged;
    } catch {
      return judged;
    }
  }

  /** What a tap has read, and may have written to, is not what the host gets. */
  forgetCopy(): void {
    this.#toRun = undefined;
  }

  get trail(): readonly TrailStep[] {
    return (
      this.#steps ??
      this.#handlers.map((registration, index) => stepOf(registration, isSet(this.#unmatched, index) ? "no-match" : "pass", 0))
    );
  }
}

function stepOf({ parts }: Registration, action: TrailAction, round: number): TrailStep {
  return { actor: parts.actor, stage: parts.stage, round, action };
}

/** Which handlers did not match is one small integer, a bit for each. */
export function isSet(bits: number, index: number): boolean {
  return (bits & (1 << index)) !== 0;
}

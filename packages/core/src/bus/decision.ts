import type { Actor } from "../catalog/actor.js";
import type { HookError } from "../catalog/errors.js";
import type { Registration } from "./registration.js";
import type { Ask, Decision, Reminder, TrailAction, TrailStep, Verdict } from "./types.js";

export const NO_TEXTS: readonly string[] = Object.freeze([]);
export const NO_REMINDERS: readonly Reminder[] = Object.freeze([]);

export class DecisionRecord implements Decision {
  readonly payload: unknown;
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
  /** What happened, step by step; or, for a chain in which all passed, just its handlers and which of them did not match. */
  readonly #steps: readonly TrailStep[] | undefined;
  readonly #handlers: readonly Registration[];
  readonly #unmatched: number;

  constructor(verdict: Verdict, payload: unknown, handlers: readonly Registration[], unmatched: number, steps?: readonly TrailStep[]) {
    this.verdict = verdict;
    this.allowed = verdict === "pass" || verdict === "allow";
    this.payload = payload;
    this.#handlers = handlers;
    this.#unmatched = unmatched;
    this.#steps = steps;
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

import type { FailureKind, HookError } from "../catalog/errors.js";
import type { Registration } from "./registration.js";
import type { Decision, Reminder, TrailAction, TrailStep, Verdict } from "./types.js";

export const NO_TEXTS: readonly string[] = Object.freeze([]);
export const NO_REMINDERS: readonly Reminder[] = Object.freeze([]);

/** One handler's part, kept as the registration until somebody reads the trail. */
export interface Step {
  readonly registration: Registration;
  readonly round: number;
  action: TrailAction;
  reason: string | undefined;
  failure: FailureKind | undefined;
  durationMs: number | undefined;
}

/** Where a decision's trail comes from: recorded steps, or the handlers of a chain in which all passed. */
export type TrailSource = { readonly steps: readonly Step[] } | { readonly handlers: readonly Registration[]; readonly unmatched: number };

export class DecisionRecord implements Decision {
  readonly payload: unknown;
  verdict: Verdict;
  allowed: boolean;
  modified = false;
  endLoop = false;
  reason: string | undefined = undefined;
  by: string | undefined = undefined;
  cause: HookError | undefined = undefined;
  again: Decision["again"] = undefined;
  handled: Decision["handled"] = undefined;
  injections: readonly string[] = NO_TEXTS;
  reminders: readonly Reminder[] = NO_REMINDERS;
  readonly #source: TrailSource;
  #trail: readonly TrailStep[] | undefined;

  constructor(verdict: Verdict, payload: unknown, source: TrailSource) {
    this.verdict = verdict;
    this.allowed = verdict === "pass" || verdict === "allow";
    this.payload = payload;
    this.#source = source;
  }

  get trail(): readonly TrailStep[] {
    this.#trail ??= buildTrail(this.#source);
    return this.#trail;
  }
}

export function buildTrail(source: TrailSource): readonly TrailStep[] {
  if ("steps" in source) return source.steps.map(({ registration, ...rest }) => ({ ...whose(registration), ...rest }));
  return source.handlers.map((registration, index) => ({
    ...whose(registration),
    round: 0,
    action: isUnmatched(source.unmatched, index) ? "no-match" : "pass",
  }));
}

function isUnmatched(unmatched: number, index: number): boolean {
  return (unmatched & (1 << index)) !== 0;
}

function whose({ parts }: Registration): Pick<TrailStep, "handler" | "owner" | "stage"> {
  return { handler: parts.name, owner: parts.owner, stage: parts.stage };
}

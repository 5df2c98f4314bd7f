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
  /** What happened, step by step; or, for a chain in which all passed, just its handlers and which of them did not match. */
  readonly #history: readonly (Step | Registration)[];
  readonly #unmatched: number;

  constructor(verdict: Verdict, payload: unknown, history: readonly (Step | Registration)[], unmatched = 0) {
    this.verdict = verdict;
    this.allowed = verdict === "pass" || verdict === "allow";
    this.payload = payload;
    this.#history = history;
    this.#unmatched = unmatched;
  }

  get trail(): readonly TrailStep[] {
    return this.#history.map((entry, index) => {
      if ("registration" in entry) return toTrailStep(entry);
      const isUnmatched = (this.#unmatched & (1 << index)) !== 0;
      return { ...whose(entry), round: 0, action: isUnmatched ? "no-match" : "pass" };
    });
  }
}

export function toTrailStep({ registration, ...rest }: Step): TrailStep {
  return { ...whose(registration), ...rest };
}

function whose({ parts }: Registration): Pick<TrailStep, "handler" | "owner" | "stage"> {
  return { handler: parts.name, owner: parts.owner, stage: parts.stage };
}

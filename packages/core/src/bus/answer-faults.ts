import { HookError } from "../catalog/errors.js";
import type { OutcomeKind } from "../catalog/events.js";
import { type Answer, askInDoubt, hasDoubt, kindsOf } from "./answer.js";
import type { Slot } from "./slot.js";

/** Something wrong with an answer. */
export interface AnswerFault {
  readonly error: HookError;
  /** A handler tried to decide and failed: denies whatever `onFailure` says. */
  readonly isDecisive: boolean;
  /** Under this name reported once per handler, not at every call. */
  readonly once: string | undefined;
}

/** Finds what is wrong with an answer and takes the parts the event does not allow out of it. */
export function answerFaults(answer: Answer, slot: Slot): AnswerFault[] {
  const found: AnswerFault[] = [];
  const add = (error: HookError, isDecisive: boolean, once?: string): unknown => found.push({ error, isDecisive, once });
  const { invalid, strange } = answer;
  if (invalid !== undefined) add(invalid, true);
  for (const error of answer.flawed) add(error, false);
  const [what] = strange;
  if (what !== undefined) add(notAnOutcome(what), false, "strange");
  if (slot.allows("ask")) askInDoubt(answer);
  else if (slot.canBlock && hasDoubt(answer)) add(new HookError("HL_OUTCOME_NOT_ALLOWED", answer.doubt as string), false, "doubt");
  for (const kind of kindsOf(answer)) {
    if (slot.allows(kind)) continue;
    // A rewrite that cannot be carried out must not be passed over: the call would run as it was. The same holds for a question that the event cannot ask.
    const isDecisive = kind === "modify" || kind === "replace" || (kind === "ask" && slot.canBlock);
    add(notAllowed(kind, slot), isDecisive, kind);
    removePart(answer, kind);
  }
  return found;
}

function notAnOutcome(what: string): HookError {
  return new HookError("HL_OUTCOME_NOT_ALLOWED", `it returned ${what}, which is not an outcome`);
}

function notAllowed(kind: OutcomeKind, slot: Slot): HookError {
  if (slot.name === "finish:before" && kind === "block") {
    return new HookError(
      "HL_FINISH_BLOCK",
      `"finish:before" cannot be blocked: return again(reason) to make the agent go on, or block "finish:unsettled"`,
    );
  }
  if (kind === "remind" && slot.name.startsWith("worker:")) {
    return new HookError("HL_REMINDER_REJECTED", `"${slot.name}" takes no reminders: it has no place in a transcript for them`);
  }
  const allowed = slot.spec.outcomes.length === 0 ? "none" : slot.spec.outcomes.join(", ");
  return new HookError("HL_OUTCOME_NOT_ALLOWED", `"${slot.name}" does not allow ${kind} (allowed: ${allowed})`);
}

function removePart(answer: Answer, kind: OutcomeKind): void {
  if (kind === answer.verdict) answer.verdict = undefined;
  else if (kind === "modify" || kind === "replace") answer.rewrite = undefined;
  else answer.effects = answer.effects.filter((effect) => effect.kind !== kind);
}

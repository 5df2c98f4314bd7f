import { HookError } from "../catalog/errors.js";
import { answerFaults } from "./answer-faults.js";
import { readAnswer } from "./answers.js";
import { book } from "./effects.js";
import type { BusEvent } from "./event.js";
import { complain } from "./failures.js";
import type { Registration } from "./registration.js";
import type { Slot } from "./slot.js";
import type { Reminder, TrailAction } from "./types.js";

/** What becomes of the values that observers return. */
export interface ReturnedValues {
  /** A caller waits for it, so the process must not end meanwhile. */
  readonly isAwaited: boolean;
  /** `place` is the handler's place in the order, whenever it answers. */
  take(returned: unknown, place: number, registration: Registration, event: BusEvent): TrailAction;
}

/** Emitting: reminders go into the book, verdicts are ignored, and said so once. */
export const effectsOnly: ReturnedValues = {
  isAwaited: false,
  take: (returned, _place, registration, event) => takeEffects(returned, registration, event, undefined),
};

/** Emitting for a caller that can use what observers inject, and takes their reminders in place of the book if it has a list for them. */
export function collectEffects(into: CollectedEffects): ReturnedValues {
  return { isAwaited: true, take: (returned, _place, registration, event) => takeEffects(returned, registration, event, into) };
}

/** Collecting: the values themselves. */
export function collectValues(values: unknown[]): ReturnedValues {
  return {
    isAwaited: true,
    take(returned, place) {
      values[place] = returned;
      return "pass";
    },
  };
}

interface CollectedEffects {
  readonly injections?: string[];
  readonly reminders?: Reminder[];
}

function takeEffects(returned: unknown, registration: Registration, event: BusEvent, into: CollectedEffects | undefined): TrailAction {
  const { slot } = event;
  // Observers return all sorts of things by accident (`(e) => list.push(e)`); only what claims to be an outcome is looked at.
  if (returned === false) return ignoreVerdict(registration, slot);
  const answer = typeof returned === "object" ? readAnswer(returned) : undefined;
  if (answer === undefined) return "pass";
  answer.strange = [];
  answer.invalid = answer.doubt = undefined;
  if (slot.isTransform && answer.rewrite?.as === "value") answer.rewrite = undefined;
  const isVerdict = slot.isGate && (answer.verdict !== undefined || answer.rewrite !== undefined);
  if (isVerdict) {
    ignoreVerdict(registration, slot);
    answer.verdict = answer.rewrite = undefined;
  }
  for (const { error, once } of answerFaults(answer, slot)) complain(error, registration, slot, once);
  for (const { text, reminder: spec } of answer.effects) {
    if (text !== undefined) into?.injections?.push(text);
    if (spec === undefined || keep({ spec, by: registration.parts.name }, event, into)) continue;
    complain(
      new HookError(
        "HL_NO_REMINDER_BOOK",
        "it left a reminder, but the bus has no book for it: createBus({ reminders: createReminderBook() })",
      ),
      registration,
      slot,
      "book",
    );
  }
  return answer.effects[0]?.kind ?? (isVerdict ? "ignored" : "pass");
}

function keep(reminder: Reminder, event: BusEvent, into: CollectedEffects | undefined): boolean {
  return into?.reminders === undefined ? book(event.slot.core, reminder, event) : into.reminders.push(reminder) > 0;
}

function ignoreVerdict(registration: Registration, slot: Slot): TrailAction {
  const isTooLate = slot.isGate && registration.parts.stage === "observe";
  const why = isTooLate
    ? 'stage "observe" comes after the decision'
    : slot.isGate
      ? `a verdict counts only in decide("${slot.name}")`
      : `"${slot.name}" cannot be decided`;
  complain(new HookError("HL_OUTCOME_NOT_ALLOWED", `${why}; here it is ignored`), registration, slot, "verdict");
  return "ignored";
}

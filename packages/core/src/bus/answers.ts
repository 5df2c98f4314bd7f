import { HookError } from "../catalog/errors.js";
import { again, allow, ask, block, handled, inject, isOutcome, modify, type Outcome, remind, replace } from "../catalog/outcomes.js";
import type { ReminderSpec } from "../catalog/reminder.js";
import { type Answer, addReminder, addText, askInDoubt, blank, invalidate, setRewrite, setVerdict } from "./answer.js";
import { asHookError, messageOf, shown, typeName } from "./describe-error.js";
import { readShape, statementOf } from "./plain-shape.js";
import { relayedIn } from "./relayed.js";
import type { PlainAnswer } from "./types.js";

const MAX_NESTING = 32;
const MAX_PARTS = 1_000;

/** Reads a handler's return value. `undefined` means it has no opinion. */
export function readAnswer(returned: unknown): Answer | undefined {
  if (returned === undefined || returned === null || returned === true) return undefined;
  const answer = blank();
  try {
    if (isRelayedPass(returned)) return undefined;
    read(returned, answer, 0);
  } catch (error) {
    // A getter or Proxy threw while we looked: the answer cannot be known.
    answer.invalid ??= new HookError("HL_INVALID_VERDICT", `the answer cannot be read: ${messageOf(error)}`, {
      failure: "invalid_verdict",
      cause: error,
    });
  }
  return answer;
}

/** Those it speaks for have no opinion either. */
function isRelayedPass(returned: unknown): boolean {
  return Array.isArray(returned) && returned.length === 0 && relayedIn(returned) !== undefined;
}

/** A part of an answer that is not an outcome. It fails the handler that gave it, and decides nothing. */
export class StrangeAnswer extends HookError {
  readonly what: string;

  constructor(what: string) {
    super("HL_OUTCOME_NOT_ALLOWED", `it returned ${what}, which is not an outcome`);
    this.what = what;
  }
}

/**
 * A handler's answer as outcomes, for hosts that must look at it before the bus does: read once, in whatever words it came. An error among them
 * says what cannot be read; handed on to the bus, it counts as the answer itself would.
 */
export function readOutcomes(returned: unknown): readonly (Outcome | PlainAnswer | HookError)[] {
  const answer = readAnswer(returned);
  if (answer === undefined) return [];
  if (answer.invalid !== undefined) return [answer.invalid];
  askInDoubt(answer);
  const { verdict, reason, endLoop, output, rewrite } = answer;
  const parts: (Outcome | PlainAnswer | HookError)[] = [];
  if (verdict === "handled") parts.push(handled(output));
  else if (verdict === "block") parts.push(block(reason, { endLoop }));
  else if (verdict !== undefined) parts.push({ ask, allow, again }[verdict](reason));
  if (rewrite?.as === "payload") parts.push(modify(rewrite.value, reason));
  else if (rewrite?.as === "value") parts.push(replace(rewrite.value));
  else if (rewrite !== undefined) parts.push({ args: rewrite.value });
  for (const { text, reminder, keep } of answer.effects)
    parts.push(text !== undefined ? inject(text, { keep }) : remind(reminder as ReminderSpec, { keep }));
  return [...parts, ...answer.flawed, ...answer.strange.map((what) => new StrangeAnswer(what))];
}

/** Whether a value is outcomes made by our constructors, or what `readOutcomes` gives: one, or a list of nothing else. */
export function isMadeOfOutcomes(value: unknown): boolean {
  return isMade(value) || (Array.isArray(value) && value.length > 0 && value.every(isMade));
}

function isMade(part: unknown): boolean {
  return isOutcome(part) || asHookError(part) !== undefined;
}

function read(returned: unknown, answer: Answer, depth: number): void {
  // Once it is invalid there is nothing more to learn: an answer that contains itself would be read 2^32 times.
  if (returned === undefined || returned === null || returned === true || answer.invalid !== undefined) return;
  if (depth > MAX_NESTING) return invalidate(answer, `answers are nested more than ${MAX_NESTING} deep`);
  if (++answer.parts > MAX_PARTS) return invalidate(answer, `an answer of more than ${MAX_PARTS} parts`);
  if (returned === false) return setVerdict(answer, "block", undefined);
  if (isOutcome(returned)) return readOutcome(returned, answer);
  if (Array.isArray(returned)) {
    for (const part of returned) read(part, answer, depth + 1);
    return;
  }
  if (returned instanceof Error) return readError(returned, answer);
  if (typeof returned === "object") return readShape(returned, answer, (part) => read(part, answer, depth + 1));
  const statement = statementOf(returned);
  if (statement === "block" || statement === "ask" || statement === "allow") setVerdict(answer, statement, undefined);
  else if (statement !== "pass") answer.strange.push(typeName(returned));
}

/** An error of ours says what `readOutcomes` could not read. Any other was meant to be thrown, and does not mean yes. */
function readError(error: Error, answer: Answer): void {
  const known = asHookError(error);
  if (known === undefined) return invalidate(answer, `it returned an error instead of throwing it: ${messageOf(error)}`);
  if (known instanceof StrangeAnswer) answer.strange.push(known.what);
  else if (known.failure === "invalid_verdict") answer.invalid = known;
  else answer.flawed.push(known);
}

function readOutcome(outcome: Outcome, answer: Answer): void {
  // Each read once: a hostile handler can put our mark on its own object, whose getters answer differently each time.
  const { kind, reason, value, endLoop, keep } = outcome;
  switch (kind) {
    case "modify":
      return setRewrite(answer, "payload", value, reason);
    case "replace":
      return setRewrite(answer, "value", value, reason);
    case "inject":
      return addText(answer, value, keep === true);
    case "remind":
      return addReminder(answer, value, keep === true);
    case "block":
    case "ask":
    case "allow":
    case "again":
    case "handled":
      setVerdict(answer, kind, reason);
      answer.endLoop ||= endLoop === true;
      answer.output = value;
      return;
    default:
      invalidate(answer, `it returned an outcome of the kind ${shown(kind)}, which does not exist`);
  }
}

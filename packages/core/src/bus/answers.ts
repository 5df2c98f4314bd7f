import { closest } from "../catalog/did-you-mean.js";
import { HookError } from "../catalog/errors.js";
import type { OutcomeKind } from "../catalog/events.js";
import { isOutcome, type Outcome } from "../catalog/outcomes.js";
import { checkReminder, type ReminderSpec } from "../catalog/reminder.js";
import { asHookError, messageOf, typeName } from "./describe-error.js";

/** Something a handler adds besides its verdict. */
export interface Effect {
  readonly kind: "inject" | "remind";
  readonly text?: string;
  readonly reminder?: ReminderSpec;
  readonly keep: boolean;
}

/** What a handler said, in one shape whatever it wrote. */
export interface Answer {
  /** At most one of block, ask, allow, again, handled. */
  verdict: "block" | "ask" | "allow" | "again" | "handled" | undefined;
  reason: string | undefined;
  endLoop: boolean;
  output: unknown;
  /** A new payload, a new tool input or a new value, in that order of meaning. */
  rewrite: { readonly as: "payload" | "input" | "value"; readonly value: unknown } | undefined;
  effects: Effect[];
  /** Somebody tried to decide and failed: this denies whatever `onFailure` says. */
  invalid: HookError | undefined;
  /** Parts that are no outcome at all. */
  strange: string[];
  /** Effects that cannot be carried out; the verdict beside them counts all the same. */
  flawed: HookError[];
  /** How many parts have been read. */
  parts: number;
}

const MAX_NESTING = 32;
const MAX_PARTS = 1_000;
const VERDICT_WORDS: Record<string, "allow" | "block" | "ask"> = { allow: "allow", deny: "block", ask: "ask" };
const VERDICT_KEYS = ["decision", "block", "deny"];
/** How other dialects say it; those who come from there mean it. */
const FOREIGN_VERDICTS = ["allow", "approve", "behavior", "continue", "hookSpecificOutput", "permission", "permissionDecision", "verdict"];
const SHAPE_KEYS = ["decision", "block", "deny", "modify", "args", "result", "inject", "reminder", "then", "effects"];

/** Reads a handler's return value. `undefined` means it has no opinion. */
export function readAnswer(returned: unknown): Answer | undefined {
  if (returned === undefined || returned === null || returned === true) return undefined;
  const answer = blank();
  try {
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

/** Which outcomes the answer contains, to be checked against what the event allows. */
export function kindsOf(answer: Answer): OutcomeKind[] {
  const kinds: OutcomeKind[] = [];
  if (answer.verdict !== undefined) kinds.push(answer.verdict);
  if (answer.rewrite !== undefined) kinds.push(answer.rewrite.as === "value" ? "replace" : "modify");
  for (const { kind } of answer.effects) if (!kinds.includes(kind)) kinds.push(kind);
  return kinds;
}

/** Whether an object is one of the plain shapes and nothing else: in a transform it would otherwise be a value. */
export function isPlainShape(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return (
    keys.length > 0 && keys.some((key) => SHAPE_KEYS.includes(key)) && keys.every((key) => key === "reason" || SHAPE_KEYS.includes(key))
  );
}

/** Whether a value is outcomes made by our constructors: one, or a list of nothing else. */
export function isMadeOfOutcomes(value: unknown): boolean {
  return isOutcome(value) || (Array.isArray(value) && value.length > 0 && value.every(isOutcome));
}

export function blank(): Answer {
  return {
    verdict: undefined,
    reason: undefined,
    endLoop: false,
    output: undefined,
    rewrite: undefined,
    effects: [],
    invalid: undefined,
    strange: [],
    flawed: [],
    parts: 0,
  };
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
  if (typeof returned === "object") return readShape(returned as Record<string, unknown>, answer, depth);
  answer.strange.push(typeName(returned));
}

function readOutcome(outcome: Outcome, answer: Answer): void {
  switch (outcome.kind) {
    case "modify":
      return setRewrite(answer, "payload", outcome.value, outcome.reason);
    case "replace":
      return setRewrite(answer, "value", outcome.value, outcome.reason);
    case "inject":
      return addText(answer, outcome.value, outcome.keep === true);
    case "remind":
      return addReminder(answer, outcome.value, outcome.keep === true);
    default:
      setVerdict(answer, outcome.kind, outcome.reason);
      answer.endLoop ||= outcome.endLoop === true;
      answer.output = outcome.value;
  }
}

function readShape(shape: Record<string, unknown>, answer: Answer, depth: number): void {
  if (typeof shape.then === "function") return invalidate(answer, "a promise inside an answer is not waited for");
  const keys = SHAPE_KEYS.filter((key) => key in shape);
  const reason = typeof shape.reason === "string" ? shape.reason : undefined;
  for (const key of keys) readKey(key, shape[key], reason, answer, depth);
  // `{}` says nothing; anything else that says nothing we know is somebody's mistake, and what looks like a verdict was meant as one.
  if (keys.length > 0 || isEmpty(shape)) return;
  const verdict = Object.keys(shape).find(isVerdictLike);
  if (verdict !== undefined)
    invalidate(answer, `"${verdict}" is no verdict here; say { ${closest(verdict, VERDICT_KEYS, 2) ?? "decision"}: … }`);
  else answer.strange.push(describeShape(shape));
}

function isVerdictLike(key: string): boolean {
  return FOREIGN_VERDICTS.includes(key) || closest(key, VERDICT_KEYS, 2) !== undefined;
}

function readKey(key: string, value: unknown, reason: string | undefined, answer: Answer, depth: number): void {
  if (key === "decision") return readVerdictWord(value, reason, answer);
  if (key === "modify") return setRewrite(answer, "payload", value, reason);
  if (key === "args") return setRewrite(answer, "input", value, reason);
  if (key === "result") return setRewrite(answer, "value", value, reason);
  if (value === undefined) return;
  if (key === "block" || key === "deny") return readBlock(key, value, reason, answer);
  if (key === "inject") for (const text of Array.isArray(value) ? value : [value]) addText(answer, text, false);
  if (key === "reminder") addReminder(answer, value, false);
  if (key === "then") read(value, answer, depth + 1);
  if (key === "effects") readEffects(value, answer, depth);
}

function isEmpty(shape: object): boolean {
  const prototype = Object.getPrototypeOf(shape);
  return (prototype === Object.prototype || prototype === null) && Object.keys(shape).length === 0;
}

function describeShape(shape: object): string {
  const keys = Object.keys(shape).slice(0, 5).join(", ");
  return keys === "" ? "an object of its own kind" : `an object with the keys ${keys}`;
}

function readEffects(effects: unknown, answer: Answer, depth: number): void {
  if (!Array.isArray(effects)) return invalidate(answer, `"effects" must be a list, not ${typeName(effects)}`);
  for (const effect of effects) read(effect, answer, depth + 1);
}

function readVerdictWord(word: unknown, reason: string | undefined, answer: Answer): void {
  const verdict = typeof word === "string" && Object.hasOwn(VERDICT_WORDS, word) ? VERDICT_WORDS[word] : undefined;
  if (verdict === undefined)
    invalidate(
      answer,
      `"decision" must be allow, deny or ask, not ${typeof word === "string" ? `"${word.slice(0, 40)}"` : typeName(word)}`,
    );
  else setVerdict(answer, verdict, reason);
}

function readBlock(key: string, value: unknown, reason: string | undefined, answer: Answer): void {
  if (value === false) return;
  if (value === true) return setVerdict(answer, "block", reason);
  if (typeof value === "string") return setVerdict(answer, "block", value);
  invalidate(answer, `"${key}" must be true, false or a reason, not ${typeName(value)}`);
}

function setVerdict(answer: Answer, verdict: NonNullable<Answer["verdict"]>, reason: string | undefined): void {
  if (answer.verdict !== undefined) return invalidate(answer, `two verdicts at once: ${answer.verdict} and ${verdict}`);
  answer.verdict = verdict;
  if (reason !== undefined) answer.reason = String(reason);
}

function setRewrite(answer: Answer, as: "payload" | "input" | "value", value: unknown, reason: string | undefined): void {
  if (answer.rewrite !== undefined) return invalidate(answer, "two rewrites at once");
  answer.rewrite = { as, value };
  if (reason !== undefined) answer.reason ??= String(reason);
}

function addText(answer: Answer, text: unknown, keep: boolean): void {
  if (typeof text === "string") answer.effects.push({ kind: "inject", text, keep });
  else answer.flawed.push(new HookError("HL_OUTCOME_NOT_ALLOWED", `"inject" takes text, not ${typeName(text)}`));
}

function addReminder(answer: Answer, reminder: unknown, keep: boolean): void {
  try {
    answer.effects.push({ kind: "remind", reminder: checkReminder(reminder), keep });
  } catch (error) {
    answer.flawed.push(asHookError(error) ?? new HookError("HL_BAD_REMINDER", messageOf(error), { cause: error }));
  }
}

function invalidate(answer: Answer, why: string): void {
  answer.invalid ??= new HookError("HL_INVALID_VERDICT", why, { failure: "invalid_verdict" });
}

import type { Actor } from "../catalog/actor.js";
import { HookError } from "../catalog/errors.js";
import type { OutcomeKind } from "../catalog/events.js";
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
  /** What it says beside its yes that makes it a question. */
  doubt: string | undefined;
  /** A handler tried to decide and failed: this denies whatever `onFailure` says. */
  invalid: HookError | undefined;
  /** Parts that are not outcomes. */
  strange: string[];
  /** Effects that cannot be carried out; the verdict beside them counts all the same. */
  flawed: HookError[];
  /** How many parts have been read. */
  parts: number;
}

const ACCEPTED = 'Return nothing to pass, block(reason), ask(reason) or allow(reason), or { decision: "deny" | "ask" | "allow", reason }';

export function blank(): Answer {
  return {
    verdict: undefined,
    reason: undefined,
    endLoop: false,
    output: undefined,
    rewrite: undefined,
    effects: [],
    doubt: undefined,
    invalid: undefined,
    strange: [],
    flawed: [],
    parts: 0,
  };
}

/** Which outcomes the answer contains, to be checked against what the event allows. */
export function kindsOf(answer: Answer): OutcomeKind[] {
  const kinds: OutcomeKind[] = [];
  if (answer.verdict !== undefined) kinds.push(answer.verdict);
  if (answer.rewrite !== undefined) kinds.push(answer.rewrite.as === "value" ? "replace" : "modify");
  for (const { kind } of answer.effects) if (!kinds.includes(kind)) kinds.push(kind);
  return kinds;
}

export function setVerdict(answer: Answer, verdict: NonNullable<Answer["verdict"]>, reason: string | undefined): void {
  const { verdict: said } = answer;
  // The stronger of the two: what one part allows, another part wants a person to see.
  if (said === "ask" && verdict === "allow") return;
  if (said !== undefined && !(said === "allow" && verdict === "ask"))
    return invalidate(answer, `two verdicts at once: ${said} and ${verdict}`);
  answer.verdict = verdict;
  if (reason !== undefined) answer.reason = String(reason);
}

export function setRewrite(answer: Answer, as: "payload" | "input" | "value", value: unknown, reason: string | undefined): void {
  if (answer.rewrite !== undefined) return invalidate(answer, "two rewrites at once");
  answer.rewrite = { as, value };
  if (reason !== undefined) answer.reason ??= String(reason);
}

export function addText(answer: Answer, text: unknown, keep: boolean): void {
  if (typeof text === "string") answer.effects.push({ kind: "inject", text, keep });
  else answer.flawed.push(new HookError("HL_OUTCOME_NOT_ALLOWED", `"inject" takes text, not ${typeName(text)}`));
}

export function addReminder(answer: Answer, reminder: unknown, keep: boolean): void {
  try {
    answer.effects.push({ kind: "remind", reminder: checkReminder(reminder), keep });
  } catch (error) {
    answer.flawed.push(asHookError(error) ?? new HookError("HL_BAD_REMINDER", messageOf(error), { cause: error }));
  }
}

/** Whether its yes is in doubt. A doubt beside a no or a question adds nothing. */
export function hasDoubt({ verdict, doubt }: Answer): boolean {
  return doubt !== undefined && (verdict === undefined || verdict === "allow");
}

/** Makes a yes that is in doubt a question for a person. */
export function askInDoubt(answer: Answer): void {
  const { reason, doubt } = answer;
  if (!hasDoubt(answer)) return;
  answer.verdict = "ask";
  answer.reason = reason === undefined ? doubt : `${reason} (${doubt})`;
}

/** Gives a no or a question without a reason one that names the handler. */
export function nameReason(answer: Answer, { kind, name }: Actor): void {
  if (answer.reason !== undefined && answer.reason.trim() !== "") return;
  const says = answer.verdict === "block" ? "says no" : answer.verdict === "ask" && "asks";
  if (says) answer.reason = `The ${kind} "${name}" ${says}, and gives no reason.`;
}

export function invalidate(answer: Answer, why: string): void {
  answer.invalid ??= new HookError("HL_INVALID_VERDICT", `${why.replace(/\.$/, "")}${/[?]$/.test(why) ? "" : "."} ${ACCEPTED}`, {
    failure: "invalid_verdict",
  });
}

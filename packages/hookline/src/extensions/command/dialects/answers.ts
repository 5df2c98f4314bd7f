import { isDeepStrictEqual } from "node:util";
import { again, ask, block, HookError, type HookEvent, inject, type Outcome, type OutcomeKind, type PlainAnswer } from "@hookline/core";
import { findRewriteKey, findVerdictKey, isOutcome, readOutcomes, resolveEvent, statementOf } from "@hookline/core/internal";
import type { CommandAnswer } from "./dialect.js";
import { fieldsOf } from "./event-fields.js";
import { isObject, type JsonObject } from "./read-document.js";

const MAX_REASON = 4_000;
const MAX_CONTEXT = 10_000;

export function allows(event: HookEvent, kind: OutcomeKind): boolean {
  return resolveEvent(event.name).spec.outcomes.includes(kind);
}

const NO_REASON = "Blocked by a hook that gave no reason.";

/** A deny in the form that the event allows: a finish continues, and an event that has already happened gets a remark. */
export function refusal(event: HookEvent, reason: string | undefined, options: { readonly endLoop?: boolean } = {}): CommandAnswer {
  const why = reasonOf(reason);
  // Without a reason, the bus names the hook.
  if (allows(event, "block")) return [block(why, options)];
  if (allows(event, "again")) return [again(why ?? NO_REASON)];
  // A value cannot be denied: the bus reports that, and withholds the value if the hook is closed.
  if (allows(event, "replace")) return joined([block(why)], context(event, reason));
  return context(event, reason ?? NO_REASON);
}

/** Text for the model, if the event accepts it and there is any. */
export function context(event: HookEvent, text: unknown): CommandAnswer {
  const shown = contextOf(text);
  return shown === undefined || !allows(event, "inject") ? undefined : [inject(shown)];
}

/** A verdict that the dialect does not have. On an event that can be blocked it denies, whatever `onFailure` says. */
export function notUnderstood(word: unknown): CommandAnswer {
  // An error and never the plain word: the bus might know the word and accept another dialect's "allow".
  const shown = typeof word === "string" ? JSON.stringify(word.slice(0, 40)) : word === null ? "null" : typeof word;
  return unreadable(`it answered ${shown}, which is not a verdict in its dialect`);
}

/** A word that is not one of the dialect's verdicts. One that puts a call off, such as `defer`, asks, or denies on an event that cannot ask. */
export function otherWord(word: unknown, event: HookEvent, reason?: string): CommandAnswer {
  if (statementOf(word) !== "ask") return notUnderstood(word);
  return allows(event, "ask") ? [ask(reason)] : refusal(event, reason);
}

/** Whether an object has one of these keys. */
export function hasOneOf(document: JsonObject, keys: readonly string[]): boolean {
  return keys.some((key) => Object.hasOwn(document, key));
}

/**
 * The verdict in a document that does not use the dialect's own keys, which are in `own`. A deny or ask in another dialect counts. An allow
 * does not: it might mean less than ours.
 */
export function foreignVerdict(document: JsonObject, own: readonly string[]): CommandAnswer {
  const key = findVerdictKey(document, own) ?? NESTING.find((name) => Object.hasOwn(document, name) && !own.includes(name));
  if (key === undefined) return undefined;
  const parts = readOutcomes(document);
  const isNo = parts.some((part) => isOutcome(part) && (part.kind === "block" || part.kind === "ask"));
  return isNo ? (parts as readonly Outcome[]) : notUnderstood(key);
}

/** Keys under which another dialect has its answers. */
const NESTING = ["then", "effects"];

/** An answer that attempts to decide but cannot be read. */
export function unreadable(why: string): CommandAnswer {
  return new HookError("HL_INVALID_VERDICT", why, { failure: "invalid_verdict" }) as unknown as PlainAnswer;
}

/**
 * An error for an answer that rewrites the call with keys that its dialect does not have (its keys are in `own`): without them, the call
 * would run unchanged. Repeating the call's input is not a rewrite.
 */
export function strayRewrite(document: JsonObject, own: readonly string[], event: HookEvent): CommandAnswer {
  const { input } = fieldsOf(event).tool ?? {};
  const others = Object.entries(document).filter(([, value]) => input === undefined || !isDeepStrictEqual(value, input));
  const key = findRewriteKey(Object.fromEntries(others), own);
  return key === undefined || !allows(event, "block") ? undefined : unreadable(`its "${key}" is not a rewrite in its dialect`);
}

/** A new input for the tool, or an error for a value that cannot be one. */
export function newInput(key: string, input: unknown): CommandAnswer {
  return isObject(input) ? [{ args: input }] : unreadable(`its "${key}" is not an object`);
}

/** Several answers as one. */
export function joined(...answers: readonly CommandAnswer[]): CommandAnswer {
  const parts = answers.flatMap((answer) => (Array.isArray(answer) ? answer : isObject(answer) ? [answer as PlainAnswer] : []));
  return parts.length === 0 ? undefined : parts;
}

export function reasonOf(text: unknown): string | undefined {
  return typeof text === "string" && text.trim() !== "" ? capped(text, MAX_REASON) : undefined;
}

/** Truncates text to a length that does not flood a context. Undefined for blank text. */
export function contextOf(text: unknown): string | undefined {
  return typeof text === "string" && text.trim() !== "" ? capped(text, MAX_CONTEXT) : undefined;
}

function capped(text: string, length: number): string {
  const trimmed = text.trim();
  return trimmed.length <= length ? trimmed : `${trimmed.slice(0, length)}… (${trimmed.length - length} more characters left out)`;
}

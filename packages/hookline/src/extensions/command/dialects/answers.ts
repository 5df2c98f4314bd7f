import { isDeepStrictEqual } from "node:util";
import { again, block, HookError, type HookEvent, inject, type Outcome, type OutcomeKind, type PlainAnswer } from "@hookline/core";
import { findRewriteKey, findVerdictKey, isOutcome, readOutcomes, resolveEvent } from "@hookline/core/internal";
import type { CommandAnswer } from "./dialect.js";
import { fieldsOf } from "./event-fields.js";
import { isObject, type JsonObject } from "./read-document.js";

const MAX_REASON = 4_000;
const MAX_CONTEXT = 10_000;

export function allows(event: HookEvent, kind: OutcomeKind): boolean {
  return resolveEvent(event.name).spec.outcomes.includes(kind);
}

/** "No", as far as the event can be told so: a finish goes on, and what has happened already is remarked on. */
export function refusal(event: HookEvent, reason: string | undefined, options: { readonly endLoop?: boolean } = {}): CommandAnswer {
  const why = capped(reason ?? "", MAX_REASON);
  if (allows(event, "block")) return [block(why === "" ? undefined : why, options)];
  if (allows(event, "again")) return [again(why === "" ? undefined : why)];
  // A value cannot be refused: the bus says so, and withholds it where the hook is closed.
  if (allows(event, "replace")) return joined([block(why === "" ? undefined : why)], context(event, reason));
  return context(event, reason);
}

/** Text for the model, where the event takes it and there is any. */
export function context(event: HookEvent, text: unknown): CommandAnswer {
  const shown = contextOf(text);
  return shown === undefined || !allows(event, "inject") ? undefined : [inject(shown)];
}

/** A verdict that the dialect does not have: on an event that can be blocked it denies, whatever happens on failure. */
export function notUnderstood(word: unknown): CommandAnswer {
  // An error and never the bare word: the bus might know it, and take somebody else's "allow" for ours.
  const shown = typeof word === "string" ? JSON.stringify(word.slice(0, 40)) : typeof word;
  return unreadable(`it answered ${shown}, which is not a verdict in its dialect`);
}

/**
 * The verdict in a document that is not in the dialect's own words, which stand under `own`. Somebody else's no, or question, counts as
 * it stands. His yes does not: it might mean less than ours.
 */
export function foreignVerdict(document: JsonObject, own: readonly string[]): CommandAnswer {
  const key = findVerdictKey(document, own) ?? NESTING.find((name) => Object.hasOwn(document, name) && !own.includes(name));
  if (key === undefined) return undefined;
  const parts = readOutcomes(document);
  const isNo = parts.some((part) => isOutcome(part) && (part.kind === "block" || part.kind === "ask"));
  return isNo ? (parts as readonly Outcome[]) : notUnderstood(key);
}

/** Keys under which another dialect has answers of their own. */
const NESTING = ["then", "effects"];

/** An answer that tried to decide and cannot be read. */
export function unreadable(why: string): CommandAnswer {
  return new HookError("HL_INVALID_VERDICT", why, { failure: "invalid_verdict" }) as unknown as PlainAnswer;
}

/**
 * An error for an answer that wants another call to run in words that its dialect, which has those under `own`, does not have: taken without
 * them, the call would run unchanged. What only repeats the call's input is not a rewrite.
 */
export function strayRewrite(document: JsonObject, own: readonly string[], event: HookEvent): CommandAnswer {
  const { input } = fieldsOf(event).tool ?? {};
  const others = Object.entries(document).filter(([, value]) => input === undefined || !isDeepStrictEqual(value, input));
  const key = findRewriteKey(Object.fromEntries(others), own);
  return key === undefined || !allows(event, "block") ? undefined : unreadable(`its "${key}" is not a rewrite in its dialect`);
}

/** Another input for the tool; an error for what cannot be one. */
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

/** What fits into a context without flooding it; nothing where nothing is said. */
export function contextOf(text: unknown): string | undefined {
  return typeof text === "string" && text.trim() !== "" ? capped(text, MAX_CONTEXT) : undefined;
}

function capped(text: string, length: number): string {
  const trimmed = text.trim();
  return trimmed.length <= length ? trimmed : `${trimmed.slice(0, length)}… (${trimmed.length - length} more characters left out)`;
}

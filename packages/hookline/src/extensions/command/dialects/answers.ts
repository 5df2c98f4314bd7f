import { again, block, type HookEvent, inject, type OutcomeKind, type PlainAnswer, resolveEvent } from "@hookline/core";
import type { CommandAnswer } from "./dialect.js";
import { isObject, type JsonObject } from "./read-document.js";

const MAX_REASON = 4_000;
const MAX_CONTEXT = 10_000;
/** How one dialect or another says yes or no; found where the dialect has no such key, somebody meant it. */
const VERDICT_KEYS = ["action", "allow", "allowed", "approve", "behavior", "block", "decision", "deny", "permission"];
const MORE_VERDICT_KEYS = ["permissionDecision", "permission_decision", "verdict", "hookSpecificOutput", "continue"];

export function allows(event: HookEvent, kind: OutcomeKind): boolean {
  return resolveEvent(event.name).spec.outcomes.includes(kind);
}

/** "No", as far as the event can be told so: a finish goes on, and what has happened already is remarked on. */
export function refusal(event: HookEvent, reason: string | undefined, options: { readonly endLoop?: boolean } = {}): CommandAnswer {
  const why = capped(reason ?? "", MAX_REASON);
  if (allows(event, "block")) return [block(why === "" ? undefined : why, options)];
  if (allows(event, "again")) return [again(why === "" ? undefined : why)];
  return context(event, reason);
}

/** Text for the model, where the event takes it and there is any. */
export function context(event: HookEvent, text: unknown): CommandAnswer {
  const shown = contextOf(text);
  return shown === undefined || !allows(event, "inject") ? undefined : [inject(shown)];
}

/** A verdict that nobody understands: on an event that can be blocked it denies, whatever happens on failure. */
export function notUnderstood(word: unknown): CommandAnswer {
  // Never the bare word: the bus might know it, and take somebody else's "allow" for ours.
  return { decision: `not understood: ${typeof word === "string" ? word : typeof word}` } as unknown as PlainAnswer;
}

/** A verdict in somebody else's words: the first key that is none of the dialect's own. */
export function findForeignVerdict(document: JsonObject, own: readonly string[]): string | undefined {
  return [...VERDICT_KEYS, ...MORE_VERDICT_KEYS].find((key) => Object.hasOwn(document, key) && !own.includes(key));
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

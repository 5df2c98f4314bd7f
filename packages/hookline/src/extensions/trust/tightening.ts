import { again, ask, block, findEvent, handled, inject, isOutcome, type Outcome, type ReminderSpec, remind } from "@hookline/core";
import { deriveSource } from "../derive-source.js";
import type { OwnedSource, SourceAnswer } from "../handler-source.js";

const MAX_NESTING = 32;
const MAX_PARTS = 1_000;
/** No verdict at all, which denies. */
const UNREADABLE = { decision: "unreadable" } as const;
/** What a bus looks for in an answer, also where it is inherited. */
const KEYS = ["decision", "block", "deny", "modify", "args", "result", "inject", "reminder", "then", "effects", "reason"];
const REWRITES = ["modify", "args", "result"];

/**
 * A source that may tighten and never loosen: what a project's hook allows or rewrites, it has no opinion on. `onRefused` hears of it once for
 * each of the two. Its answer is read once, into plain data: what says another thing at the next look has said the first.
 */
export function tighteningOnly(source: OwnedSource, onRefused: (what: string) => void = () => {}): OwnedSource {
  const told = new Set<string>();
  const refuse = (what: string): void => {
    if (!told.has(what)) onRefused(what);
    told.add(what);
  };
  return deriveSource(source, {
    async handle(event, hook) {
      const answer = await source.handle(event, hook);
      const reading: Reading = { parts: 0, refuse };
      try {
        return (isTransform(event.name) ? withoutValue(answer, reading) : tighten(answer, 0, reading)) as SourceAnswer;
      } catch {
        return UNREADABLE as never;
      }
    },
  });
}

interface Reading {
  parts: number;
  readonly refuse: (what: string) => void;
}

const ALLOW = "allow";
const REWRITE = "rewrite";

function isTransform(event: string): boolean {
  return findEvent(event)?.spec.kind === "transform";
}

/** In a transform everything that is no answer is the new value. */
function withoutValue(answer: unknown, reading: Reading): unknown {
  if (answer === undefined || answer === null) return undefined;
  if (isOutcome(answer)) return tighten(answer, 0, reading);
  if (isRecord(answer) && KEYS.some((key) => key in answer)) return knownKeys(tighten(answer, 0, reading));
  const parts = Array.isArray(answer) ? elementsOf(answer) : [];
  if (parts.length > 0 && parts.every(isOutcome)) return tighten(parts, 0, reading);
  reading.refuse(REWRITE);
  return undefined;
}

/** With any other key it would be a value again, and so would an empty one. */
function knownKeys(answer: unknown): object | undefined {
  const kept = Object.entries(Object(answer)).filter(([key]) => KEYS.includes(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The same answer without its yes and its rewriting, wherever in it they stand. */
function tighten(answer: unknown, depth: number, reading: Reading): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  if (depth > MAX_NESTING || ++reading.parts > MAX_PARTS) return UNREADABLE;
  if (isOutcome(answer)) return tightenOutcome(answer, reading);
  if (Array.isArray(answer)) return elementsOf(answer).flatMap((part) => tighten(part, depth + 1, reading) ?? []);
  return tightenShape(answer as { readonly [key: string]: unknown }, depth, reading);
}

function elementsOf(list: readonly unknown[]): unknown[] {
  return Array.from({ length: Math.min(list.length, MAX_PARTS + 1) }, (_, index) => list[index]);
}

/** Made anew: whoever knows our mark can put it on an object of his own. */
function tightenOutcome(outcome: Outcome, { refuse }: Reading): unknown {
  const { kind, reason, value, endLoop = false, keep = false } = outcome;
  switch (kind) {
    case "block":
      return block(reason, { endLoop });
    case "ask":
      return ask(reason);
    case "again":
      return again(reason);
    case "handled":
      return handled(value);
    case "inject":
      return inject(value as string, { keep });
    case "remind":
      return remind(value as ReminderSpec, { keep });
    case "allow":
      return refuse(ALLOW);
    case "modify":
    case "replace":
      return refuse(REWRITE);
    default:
      return UNREADABLE;
  }
}

function tightenShape(answer: { readonly [key: string]: unknown }, depth: number, reading: Reading): object | undefined {
  const keys = new Set([...KEYS.filter((key) => key in answer), ...Object.keys(answer)]);
  const shape = Object.fromEntries([...keys].map((key) => [key, answer[key]]));
  for (const key of REWRITES) {
    if (shape[key] !== undefined) reading.refuse(REWRITE);
    delete shape[key];
  }
  if (shape.decision === "allow") {
    reading.refuse(ALLOW);
    delete shape.decision;
    delete shape.reason;
  }
  for (const key of ["then", "effects"]) if (Object.hasOwn(shape, key)) shape[key] = tighten(shape[key], depth + 1, reading);
  // A reason that is left alone says nothing.
  return Object.keys(shape).some((key) => key !== "reason") || keys.size === 0 ? shape : undefined;
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { again, allow, ask, block, handled, inject, modify, type ReminderSpec, remind, replace } from "@hookline/core";
import type { SourceAnswer } from "../handler-source.js";

/**
 * An answer as it came over the wire, as the bus takes it. Outcomes are objects with a `kind`; plain shapes go through as they are.
 * Whatever is neither is left for the bus to refuse: it knows what the event allows, and denies where somebody tried to decide and failed.
 */
export function readAnswer(given: unknown): SourceAnswer {
  if (given === null || given === undefined) return undefined;
  if (Array.isArray(given)) return given.map(readOne) as SourceAnswer;
  return readOne(given) as SourceAnswer;
}

interface Wire {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly value?: unknown;
  readonly endLoop?: unknown;
  readonly keep?: unknown;
}

function readOne(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given) || !Object.hasOwn(given, "kind")) return given;
  const wire = given as Wire;
  const make = typeof wire.kind === "string" && Object.hasOwn(makers, wire.kind) ? makers[wire.kind as keyof typeof makers] : undefined;
  // As a verdict, so that a word nobody knows denies.
  return make === undefined ? { decision: wire.kind } : make(wire, typeof wire.reason === "string" ? wire.reason : undefined);
}

const makers = {
  block: ({ endLoop }: Wire, reason?: string) => block(reason, { endLoop: endLoop === true }),
  ask: (_: Wire, reason?: string) => ask(reason),
  allow: (_: Wire, reason?: string) => allow(reason),
  modify: ({ value }: Wire, reason?: string) => modify(value, reason),
  inject: ({ value, keep }: Wire) => inject(value as string, { keep: keep === true }),
  remind: ({ value, keep }: Wire) => reminderOf(value, keep === true),
  replace: ({ value }: Wire) => replace(value),
  again: (_: Wire, reason?: string) => again(reason),
  handled: ({ value }: Wire) => handled(value),
};

/** A bad reminder must not take the verdict beside it down: the bus reports it from the plain shape. */
function reminderOf(value: unknown, keep: boolean): unknown {
  try {
    return remind(value as ReminderSpec, { keep });
  } catch {
    return { reminder: value };
  }
}

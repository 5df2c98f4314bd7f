import { HookError } from "../catalog/errors.js";
import type { Effect } from "./answer.js";
import type { BusCore } from "./core.js";
import { asHookError, messageOf } from "./describe-error.js";
import { type BusEvent, callIdOf } from "./event.js";
import type { Registration } from "./registration.js";
import type { Reminder } from "./types.js";

interface Effected {
  injections: readonly string[];
  reminders: readonly Reminder[];
}

/**
 * Fills in the injections and reminders that survive, in handler order, and puts the reminders into the book.
 * A chain that ended in deny keeps only what its denier left (`denier`, null for none) and what says `keep`.
 */
export function keepEffects(
  result: Effected,
  event: BusEvent,
  handlers: readonly Registration[],
  effectsOf: (registration: Registration) => readonly Effect[],
  denier?: Registration | null,
): void {
  const injections: string[] = [];
  const reminders: Reminder[] = [];
  for (const registration of handlers) {
    for (const effect of effectsOf(registration)) {
      if (denier !== undefined && denier !== registration && !effect.keep) continue;
      if (effect.text !== undefined) injections.push(effect.text);
      if (effect.reminder !== undefined) reminders.push({ spec: effect.reminder, by: registration.parts.name });
    }
  }
  result.injections = injections;
  result.reminders = reminders;
  for (const reminder of reminders) book(event.slot.core, reminder, event);
}

/** Puts a reminder into the bus's book, if it has one; a book that refuses is reported. */
export function book(
  core: BusCore,
  { spec, by }: Reminder,
  { session, name: event, payload }: Pick<BusEvent, "session" | "name"> & { readonly payload?: unknown },
): boolean {
  const { reminders } = core;
  if (reminders === undefined) return false;
  try {
    reminders.add(spec, { session, by, event, callId: callIdOf(payload) });
  } catch (cause) {
    const refused = `The reminder book refused a reminder of "${by}": ${messageOf(cause)}`;
    core.report(asHookError(cause) ?? new HookError("HL_BAD_REMINDER", refused, { event, handler: by, cause }));
  }
  return true;
}

/** The injections of a decision or a transform as one text, separated by a blank line. */
export function joinInjections(result: { readonly injections: readonly string[] }): string {
  return result.injections.join("\n\n");
}

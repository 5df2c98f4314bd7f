import { HookError } from "../catalog/errors.js";
import type { Effect } from "./answer.js";
import { asHookError, messageOf } from "./describe-error.js";
import type { BusEvent } from "./event.js";
import type { Registration } from "./registration.js";
import type { Slot } from "./slot.js";
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
  for (const reminder of reminders) book(event.slot, event, reminder);
}

/** Puts a reminder into the bus's book, if it has one; a book that refuses is reported. */
export function book(slot: Slot, event: BusEvent, reminder: Reminder): boolean {
  const { reminders } = slot.core;
  if (reminders === undefined) return false;
  try {
    reminders.add(reminder.spec, { session: event.session, by: reminder.by, event: slot.name });
  } catch (error) {
    slot.core.report(
      asHookError(error) ??
        new HookError("HL_BAD_REMINDER", `The reminder book refused a reminder of "${reminder.by}": ${messageOf(error)}`, {
          event: slot.name,
          handler: reminder.by,
          cause: error,
        }),
    );
  }
  return true;
}

/** The injections of a decision or a transform as one text, separated by a blank line. */
export function joinInjections(result: { readonly injections: readonly string[] }): string {
  return result.injections.join("\n\n");
}

import type { OutcomeKind } from "../catalog/events.js";
import { inject, type Outcome, remind } from "../catalog/outcomes.js";
import { checkReminder, type ReminderSpec } from "../catalog/reminder.js";
import { inertLines } from "../text/inert-text.js";
import type { Frame } from "./frames.js";
import type { EffectsFrame, HubVerdictFrame } from "./hub-protocol.js";

/** Effects that the hub sends by itself; nothing when they cannot be understood. */
export function readEffects(frame: Frame): EffectsFrame | undefined {
  const { id, session, interrupt, by, event } = frame;
  const isPlace = session === undefined || typeof (Object(session) as { readonly id?: unknown }).id === "string";
  const isNamed = [by, event].every((text) => text === undefined || typeof text === "string");
  const isSound = typeof id === "string" && isPlace && isNamed && hasSoundEffects(frame) && (interrupt === undefined || interrupt === true);
  return isSound ? (frame as unknown as EffectsFrame) : undefined;
}

/** Whether the injections and reminders of a frame can be understood. */
export function hasSoundEffects({ injections, reminders }: Frame): boolean {
  return isList(injections, (text) => typeof text === "string") && isList(reminders, isReminder);
}

/** The effects of a frame, made inert: the agent may show them on a terminal. */
export function effectsIn({
  injections = [],
  reminders = [],
}: Pick<HubVerdictFrame, "injections" | "reminders">): readonly Outcome<OutcomeKind>[] {
  return [
    ...injections.map((text) => inject(inertLines(text))),
    ...reminders.map((reminder) => remind({ ...reminder, body: inertLines(reminder.body) })),
  ];
}

function isList(value: unknown, accepts: (item: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(accepts));
}

function isReminder(value: unknown): value is ReminderSpec {
  try {
    checkReminder(value);
    return true;
  } catch {
    return false;
  }
}

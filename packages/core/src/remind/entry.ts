import { HookError } from "../catalog/errors.js";
import { findEvent } from "../catalog/names.js";
import { checkReminder, type ReminderSpec } from "../catalog/reminder.js";
import type { ReminderContext, ReminderRecord, SessionLike } from "./types.js";

/** A reminder as it was given, before it has a position in the book. */
export type Entry = Pick<ReminderRecord, "spec" | "session" | "by" | "event" | "callId" | "turnsLeft">;

/** Checks what is to be added; throws `HL_BAD_REMINDER` or `HL_REMINDER_REJECTED`. */
export function readEntry(spec: ReminderSpec, context: ReminderContext): Entry {
  const own = checkReminder(copyOf(spec));
  const { by = "host", event, callId } = context;
  if (isWorkerEvent(event)) throw rejected(by, event);
  return { spec: freezeSpec(own), session: sessionKey(context.session), by, event, callId, turnsLeft: own.ttlTurns };
}

export function sessionKey(session: SessionLike | null): string {
  const id: unknown = typeof session === "object" && session !== null ? session.id : session;
  return typeof id === "string" ? id : "";
}

/** What a child session gets of a reminder, or nothing. A copy made by `session` goes no further. */
export function heirOf(record: ReminderRecord, child: string): Omit<ReminderRecord, "id"> | undefined {
  const { propagate = "none" } = record.spec;
  if (propagate === "none") return undefined;
  const spec = propagate === "all" ? record.spec : freezeSpec({ ...record.spec, propagate: "none" });
  const { by, event, callId, turnsLeft } = record;
  return { spec, session: child, by, event, callId, turnsLeft, count: 1, inheritedFrom: record.id };
}

// Copied before it is checked: what a getter or the handler changes later was never checked.
function copyOf(spec: unknown): unknown {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return spec;
  const copy: Record<string, unknown> = { ...spec };
  if (Array.isArray(copy.tags)) copy.tags = [...copy.tags];
  return copy;
}

function freezeSpec(spec: ReminderSpec): ReminderSpec {
  if (spec.tags !== undefined) Object.freeze(spec.tags);
  return Object.freeze(spec);
}

function isWorkerEvent(event: string | undefined): event is string {
  return event !== undefined && (findEvent(event)?.name ?? event).startsWith("worker:");
}

function rejected(by: string, event: string): HookError {
  return new HookError(
    "HL_REMINDER_REJECTED",
    `"${by}" left a reminder at "${event}", which has no place in a transcript for it; leave it at "turn:before" or "turn:end".`,
    { event, handler: by },
  );
}

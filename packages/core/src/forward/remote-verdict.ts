import type { OutcomeKind } from "../catalog/events.js";
import { allow, ask, block, inject, modify, type Outcome, remind, replace } from "../catalog/outcomes.js";
import { checkReminder, type ReminderSpec } from "../catalog/reminder.js";
import { inertLines } from "../text/inert-text.js";
import type { Frame } from "../wire/frames.js";
import type { GuardWords, LineEffects, LineTransformed, LineVerdict } from "./line-protocol.js";

const DECISIONS = ["pass", "allow", "ask", "deny"];

/** The verdict in a frame; nothing when it cannot be understood. */
export function readRemoteVerdict(frame: Frame): LineVerdict | undefined {
  const { decision, reason, by, payload, endLoop } = frame;
  const isSound =
    DECISIONS.includes(decision as string) &&
    [reason, by].every((text) => text === undefined || typeof text === "string") &&
    (payload === undefined || (typeof payload === "object" && payload !== null && !Array.isArray(payload))) &&
    hasSoundEffects(frame) &&
    (endLoop === undefined || typeof endLoop === "boolean");
  return isSound ? (frame as unknown as LineVerdict) : undefined;
}

/** What the bus is told. A rewrite beside a deny is of no use to anybody. */
export function outcomesOf(verdict: LineVerdict): readonly Outcome<OutcomeKind>[] {
  const { decision, payload } = verdict;
  const said = sayingOf(verdict);
  return [
    ...(said === undefined ? [] : [said]),
    ...(payload === undefined || decision === "deny" ? [] : [modify(payload)]),
    ...effectsIn(verdict),
  ];
}

/** What the hub's handlers made of a value; nothing when it cannot be understood. */
export function readTransformed(frame: Frame): readonly Outcome<OutcomeKind>[] | undefined {
  if (!hasSoundEffects(frame)) return undefined;
  const replaced = Object.hasOwn(frame, "value") ? [replace(frame.value)] : [];
  return [...replaced, ...effectsIn(frame as unknown as LineTransformed)];
}

/** Effects that the hub sends by itself; nothing when they cannot be understood. */
export function readEffects(frame: Frame): LineEffects | undefined {
  const { id, session, interrupt, by, event } = frame;
  const isPlace = session === undefined || typeof (Object(session) as { readonly id?: unknown }).id === "string";
  const isNamed = [by, event].every((text) => text === undefined || typeof text === "string");
  const isSound = typeof id === "string" && isPlace && isNamed && hasSoundEffects(frame) && (interrupt === undefined || interrupt === true);
  return isSound ? (frame as unknown as LineEffects) : undefined;
}

function hasSoundEffects({ injections, reminders }: Frame): boolean {
  return isList(injections, (text) => typeof text === "string") && isList(reminders, isReminder);
}

function effectsIn({ injections = [], reminders = [] }: Pick<LineVerdict, "injections" | "reminders">): readonly Outcome<OutcomeKind>[] {
  return [
    ...injections.map((text) => inject(inertLines(text))),
    ...reminders.map((reminder) => remind({ ...reminder, body: inertLines(reminder.body) })),
  ];
}

/** The guards a verdict is from, the first as the one that counts. An older hub names those that ask in one text. */
export function guardsIn({ decision, reason, by, asks }: LineVerdict): readonly GuardWords[] {
  const askers = decision === "ask" && Array.isArray(asks) ? asks.flatMap(readWords) : [];
  return askers.length > 0 ? askers : readWords({ by, reason });
}

/** The words in which the bus is told: it knows none of the hub's guards. The agent may show them on a terminal, so they are made inert. */
export function wordsOf(verdict: LineVerdict): string | undefined {
  const guards = guardsIn(verdict).map(({ by, reason }) => (reason === undefined ? `by ${by}` : `${reason} (${by})`));
  const words = guards.length === 0 ? verdict.reason : guards.join("; ");
  return words === undefined ? undefined : inertLines(words);
}

function sayingOf(verdict: LineVerdict): Outcome | undefined {
  const { decision, endLoop } = verdict;
  const why = wordsOf(verdict);
  if (decision === "deny") return block(why, { endLoop: endLoop === true });
  if (decision === "ask") return ask(why);
  return decision === "allow" ? allow(why) : undefined;
}

function readWords(value: unknown): GuardWords[] {
  const { by, reason } = Object(value) as { readonly by?: unknown; readonly reason?: unknown };
  return typeof by === "string" ? [{ by, ...(typeof reason === "string" && { reason }) }] : [];
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

import { type Relayed, relay } from "../bus/relayed.js";
import type { Ask, Stage, TrailAction, TrailStep, Verdict } from "../bus/types.js";
import { type Actor, readActor } from "../catalog/actor.js";
import { type DecisionStep, VERDICTS } from "../catalog/envelope.js";
import { upgradeSteps } from "../catalog/envelope-v1.js";
import type { FailureKind } from "../catalog/errors.js";
import type { OutcomeKind } from "../catalog/events.js";
import { allow, ask, block, inject, modify, type Outcome, remind, replace } from "../catalog/outcomes.js";
import { checkReminder, type ReminderSpec } from "../catalog/reminder.js";
import { inertLines, inertText } from "../text/inert-text.js";
import type { Frame } from "../wire/frames.js";
import type { LineEffects, LineTransformed, LineVerdict } from "./line-protocol.js";

type Outcomes = readonly Outcome<OutcomeKind>[];

const MAX_STEPS = 64;
const MAX_NAME = 200;
const MAX_REASON = 500;

/** What the bus is told of a verdict; nothing when the frame cannot be understood. */
export function readRemoteVerdict(frame: Frame): Outcomes | undefined {
  const { reason, by, payload, endLoop } = frame;
  // A hub of an earlier version calls it `decision`.
  const verdict = frame.verdict ?? frame.decision;
  const isSound =
    VERDICTS.includes(verdict as Verdict) &&
    [reason, by].every((text) => text === undefined || typeof text === "string") &&
    (payload === undefined || (typeof payload === "object" && payload !== null && !Array.isArray(payload))) &&
    hasSoundEffects(frame) &&
    (endLoop === undefined || typeof endLoop === "boolean");
  return isSound ? outcomesOf({ ...(frame as unknown as LineVerdict), verdict: verdict as Verdict }) : undefined;
}

/** What the hub's handlers made of a value; nothing when it cannot be understood. */
export function readTransformed(frame: Frame): Outcomes | undefined {
  if (!hasSoundEffects(frame)) return undefined;
  const replaced = Object.hasOwn(frame, "value") ? [replace(frame.value)] : [];
  return relayed([...replaced, ...effectsIn(frame as unknown as LineTransformed)], { steps: readSteps(frame.trail) });
}

/** The steps in a frame of the hub's. They are only shown, so what is not a step is left out. */
export function readSteps(trail: unknown): readonly TrailStep[] {
  if (!Array.isArray(trail)) return [];
  const steps = trail.slice(0, MAX_STEPS).filter((step) => typeof step === "object" && step !== null);
  return upgradeSteps(steps as readonly DecisionStep[]).flatMap(readStep);
}

/** Who acted at the hub. */
export function readHubActor(given: unknown): Actor | undefined {
  const actor = readActor(given);
  if (actor === undefined) return undefined;
  const { kind, name, owner } = actor;
  return { kind, name: inertText(name), ...(owner !== undefined && { owner: inertText(owner) }), at: "hub" };
}

/** Effects that the hub sends by itself; nothing when they cannot be understood. */
export function readEffects(frame: Frame): LineEffects | undefined {
  const { id, session, interrupt, by, event } = frame;
  const isPlace = session === undefined || typeof (Object(session) as { readonly id?: unknown }).id === "string";
  const isNamed = [by, event].every((text) => text === undefined || typeof text === "string");
  const isSound = typeof id === "string" && isPlace && isNamed && hasSoundEffects(frame) && (interrupt === undefined || interrupt === true);
  return isSound ? (frame as unknown as LineEffects) : undefined;
}

/** A rewrite beside a deny is of no use. The agent may show the words on a terminal, so they are made inert. */
function outcomesOf(frame: LineVerdict): Outcomes {
  const { verdict, payload, trail } = frame;
  const asks = verdict === "ask" && Array.isArray(frame.asks) ? frame.asks.flatMap(readAsk) : [];
  const [first = readAsk(frame)[0]] = asks;
  const reason = first === undefined ? shownReason(frame.reason) : first.reason;
  const outcomes = [
    ...verdictOutcome(frame, reason),
    ...(payload === undefined || verdict === "deny" ? [] : [modify(payload)]),
    ...effectsIn(frame),
  ];
  return relayed(outcomes, { steps: readSteps(trail), actor: first?.actor, asks });
}

function verdictOutcome({ verdict, endLoop }: LineVerdict, reason: string | undefined): Outcome<OutcomeKind>[] {
  if (verdict === "deny") return [block(reason, { endLoop: endLoop === true })];
  if (verdict === "ask") return [ask(reason)];
  return verdict === "allow" ? [allow(reason)] : [];
}

/** Without steps a pass is a pass like any other, and the bus has nothing to note. */
function relayed(outcomes: Outcomes, given: Relayed): Outcomes {
  return outcomes.length === 0 && given.steps.length === 0 ? outcomes : relay(outcomes, given);
}

function readAsk(given: unknown): Ask[] {
  const { by, reason, actor } = Object(given) as { readonly [Field in keyof Ask]?: unknown };
  // A hub of an earlier version names its guards, and says no more of them.
  const known = readHubActor(actor) ?? (typeof by === "string" ? readHubActor({ kind: "guard", name: by }) : undefined);
  return known === undefined ? [] : [{ by: known.name, actor: known, reason: shownReason(reason) }];
}

function readStep({ actor, stage, round, action, reason, failure, durationMs }: DecisionStep): TrailStep[] {
  const known = readHubActor(actor);
  const isSound = typeof stage === "string" && typeof action === "string" && Number.isSafeInteger(round) && round >= 0;
  if (known === undefined || !isSound) return [];
  return [
    {
      actor: known,
      stage: stage.slice(0, MAX_NAME) as Stage,
      round,
      action: action.slice(0, MAX_NAME) as TrailAction,
      ...(typeof reason === "string" && { reason: reason.slice(0, MAX_REASON) }),
      ...(typeof failure === "string" && { failure: failure.slice(0, MAX_NAME) as FailureKind }),
      ...(typeof durationMs === "number" && durationMs >= 0 && { durationMs }),
    },
  ];
}

function shownReason(reason: unknown): string | undefined {
  return typeof reason === "string" ? inertLines(reason) : undefined;
}

function hasSoundEffects({ injections, reminders }: Frame): boolean {
  return isList(injections, (text) => typeof text === "string") && isList(reminders, isReminder);
}

function effectsIn({ injections = [], reminders = [] }: Pick<LineVerdict, "injections" | "reminders">): Outcomes {
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

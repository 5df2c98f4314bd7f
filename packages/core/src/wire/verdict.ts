import { readOutcomes, StrangeAnswer } from "../bus/answers.js";
import { findVerdictKey, statementOf } from "../bus/plain-shape.js";
import { type Relayed, relay } from "../bus/relayed.js";
import type { ApprovalReply, Ask, Decision, PlainAnswer, TransformResult, Verdict } from "../bus/types.js";
import { VERDICTS } from "../catalog/envelope.js";
import type { ErrorCode } from "../catalog/error-codes.js";
import { type FailureKind, HookError } from "../catalog/errors.js";
import type { OutcomeKind } from "../catalog/events.js";
import { allow, ask, block, modify, type Outcome, replace } from "../catalog/outcomes.js";
import { inertLines } from "../text/inert-text.js";
import { readHubActor, readSteps, shortenedSteps, stepsOf, summaryOf } from "./decision-summary.js";
import { effectsIn, hasSoundEffects } from "./effects.js";
import type { Frame } from "./frames.js";
import type { HubVerdictFrame, LateFrame, TransformedFrame } from "./hub-protocol.js";

type Outcomes = readonly Outcome<OutcomeKind>[];

/** What could not be read of an answer, where the handler ran. */
export interface UnreadFrame {
  readonly kind: "unread";
  readonly code: ErrorCode;
  readonly reason: string;
  readonly failure?: FailureKind;
  /** What it was instead of an outcome. */
  readonly what?: string;
}

/** An answer in JSON: the outcomes that were read from it, and what was not written as outcomes, for the bus to judge. */
export type WireAnswer = boolean | string | Outcome | PlainAnswer | readonly (Outcome | PlainAnswer)[] | undefined;

/**
 * What a process extension answers, as the bus takes it. Outcomes are objects with a `kind`; everything else stays as it is: the bus knows
 * what the event allows, and denies an answer that tries to decide and fails.
 */
export function readAnswer(given: unknown): WireAnswer {
  if (given === null || given === undefined) return undefined;
  const parts: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (!parts.some(isOutcomeFrame)) return given as WireAnswer;
  return parts.flatMap((part): readonly unknown[] =>
    isUnread(part) ? [errorOf(part)] : isOutcomeFrame(part) ? readOutcomes(part) : [part],
  ) as WireAnswer;
}

function isUnread(part: unknown): part is Frame {
  return isOutcomeFrame(part) && (part as Frame).kind === "unread";
}

/** The error that the other end had. Whatever it says of it, the answer does not count as one. */
function errorOf({ code, reason, failure, what }: Frame): HookError {
  if (typeof what === "string") return new StrangeAnswer(what);
  const isFlaw = failure !== "invalid_verdict" && (code === "HL_BAD_REMINDER" || code === "HL_OUTCOME_NOT_ALLOWED");
  const message = typeof reason === "string" ? reason : "it cannot be read";
  return isFlaw ? new HookError(code, message) : new HookError("HL_INVALID_VERDICT", message, { failure: "invalid_verdict" });
}

/**
 * A listener's answer: `{"type":"verdict","id":…,"decision":"allow|deny|ask|pass","reason"?:…,"payload"?:…,"by"?:…}`, or a verdict in any other
 * wording that a handler may use. `null` is as good as absent: many languages write it for what they do not have.
 */
export interface VerdictFrame {
  readonly id: string;
  readonly by?: string;
  readonly payload?: unknown;
  readonly outcomes: readonly (Outcome | PlainAnswer | HookError)[];
}

/** What a gate's handler answers. */
export type SocketAnswer = readonly (Outcome<"block" | "ask" | "allow" | "modify"> | PlainAnswer)[];

/** The verdict in a frame, or nothing if it is of another type or answers no question. One that cannot be read is an answer all the same: it denies. */
export function readVerdict(frame: Frame): VerdictFrame | undefined {
  const { type, id, by, payload, ...said } = Object.fromEntries(Object.entries(frame).filter(([, value]) => value !== null));
  if (type !== "verdict" || typeof id !== "string") return undefined;
  const isSilent = payload === undefined && findVerdictKey(said) === undefined;
  const outcomes = readOutcomes(isSilent ? { decision: undefined } : said);
  return { id, outcomes, ...(typeof by === "string" && { by }), ...(payload !== undefined && { payload }) };
}

/** What the bus is told. A rewrite beside a deny is left out. */
export function answerOf({ outcomes, payload }: VerdictFrame): SocketAnswer | undefined {
  const isDenied = outcomes.some((part) => part instanceof HookError || kindOf(part) === "block");
  return [...outcomes, ...(payload === undefined || isDenied ? [] : [modify(payload)])] as SocketAnswer;
}

/** A person's answer; one who asks back, or has no opinion, has not answered. */
export function replyOf({ outcomes, by, payload }: VerdictFrame): ApprovalReply | undefined {
  const said = outcomes.find((part) => kindOf(part) === "allow" || kindOf(part) === "block") as Outcome | undefined;
  if (said === undefined) return undefined;
  const { kind, reason } = said;
  // Only a payload can be taken over here: allowed without its other rewrite, the call would run unchanged.
  if (kind === "allow" && outcomes.some(isRewrite))
    return { verdict: "deny", reason: "The answer wants another call to run: give it as `payload`.", ...(by !== undefined && { by }) };
  return {
    verdict: kind === "allow" ? "allow" : "deny",
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(payload !== undefined && kind === "allow" && { payload }),
  };
}

function isRewrite(part: Outcome | PlainAnswer | HookError): boolean {
  return "args" in part || kindOf(part) === "modify" || kindOf(part) === "replace";
}

function kindOf(part: Outcome | PlainAnswer | HookError): unknown {
  return "kind" in part ? part.kind : undefined;
}

/** In a transform, an object of any other kind is a value. */
function isOutcomeFrame(given: unknown): boolean {
  if (typeof given !== "object" || given === null || !Object.hasOwn(given, "kind")) return false;
  const { kind } = given as Frame;
  return kind === "unread" || statementOf(kind) !== undefined;
}

/** What the bus is told of a verdict; nothing when the frame cannot be understood. */
export function readHubVerdict(frame: Frame): Outcomes | undefined {
  const { type, reason, by, payload, endLoop } = frame;
  // A hub of an earlier version calls it `decision`.
  const verdict = oneVerdict([frame.verdict, frame.decision]);
  const isSound =
    type === "verdict" &&
    verdict !== undefined &&
    [reason, by].every((text) => text === undefined || typeof text === "string") &&
    (payload === undefined || (typeof payload === "object" && payload !== null && !Array.isArray(payload))) &&
    hasSoundEffects(frame) &&
    (endLoop === undefined || typeof endLoop === "boolean");
  return isSound ? outcomesOf({ ...(frame as unknown as HubVerdictFrame), verdict }) : undefined;
}

/** Of two that differ a deny counts, as in any other answer that says both; every other pair says nothing. */
function oneVerdict(given: readonly unknown[]): Verdict | undefined {
  const said = [...new Set(given.filter((word) => word !== undefined))] as Verdict[];
  if (!said.every((word) => VERDICTS.includes(word))) return undefined;
  return said.length > 1 ? said.find((word) => word === "deny") : said[0];
}

/** What the hub's handlers made of a value; nothing when it cannot be understood. */
export function readTransformed(frame: Frame): Outcomes | undefined {
  if (frame.type !== "transformed" || !hasSoundEffects(frame)) return undefined;
  const replaced = Object.hasOwn(frame, "value") ? [replace(frame.value)] : [];
  return relayed([...replaced, ...effectsIn(frame as unknown as TransformedFrame)], { steps: readSteps(frame.trail) });
}

/** A decision as it goes back over the connection. */
export function verdictFrame(id: string, decision: Decision): HubVerdictFrame {
  const { payload, modified, injections, reminders, asks = [] } = decision;
  const { verdict, reason, actor, cause, endLoop, trail = [] } = summaryOf(decision);
  return {
    type: "verdict",
    id,
    verdict,
    // A process of an earlier version reads these two.
    decision: verdict,
    ...(actor !== undefined && { by: actor.name, actor }),
    ...(reason !== undefined && { reason }),
    ...(asks.length > 0 && { asks }),
    ...(modified && { payload }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders: reminders.map(({ spec }) => spec) }),
    ...(endLoop && { endLoop: true as const }),
    ...(cause !== undefined && { cause }),
    ...(trail.length > 0 && { trail: shortenedSteps(trail) }),
  };
}

/** What became of a value; one that nothing replaced is not sent back. */
export function transformedFrame(id: string, given: unknown, { value, injections, reminders, trail }: TransformResult): TransformedFrame {
  return {
    type: "transformed",
    id,
    ...(!Object.is(value, given) && { value: value ?? null }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders: reminders.map(({ spec }) => spec) }),
    ...(trail.length > 0 && { trail: shortenedSteps(stepsOf(trail)) }),
  };
}

/** Which guard had not answered when the time was up. */
export function lateFrame(id: string, decision: Decision): LateFrame {
  const { trail = [] } = summaryOf(decision);
  const waiting = decision.trail.findLast(({ action }) => action === "cancelled")?.actor.name;
  return { type: "late", id, ...(waiting !== undefined && { by: waiting }), ...(trail.length > 0 && { trail: shortenedSteps(trail) }) };
}

/** A rewrite beside a deny is of no use. The agent may show the words on a terminal, so they are made inert. */
function outcomesOf(frame: HubVerdictFrame): Outcomes {
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

function verdictOutcome({ verdict, endLoop }: HubVerdictFrame, reason: string | undefined): Outcome<OutcomeKind>[] {
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

function shownReason(reason: unknown): string | undefined {
  return typeof reason === "string" ? inertLines(reason) : undefined;
}

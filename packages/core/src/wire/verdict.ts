import { readOutcomes } from "../bus/answers.js";
import { findVerdictKey } from "../bus/plain-shape.js";
import type { ApprovalReply, PlainAnswer } from "../bus/types.js";
import { HookError } from "../catalog/errors.js";
import { modify, type Outcome } from "../catalog/outcomes.js";
import type { Frame } from "./frames.js";

/** An answer in JSON: the outcomes that were read from it, and what was not written as outcomes, for the bus to judge. */
export type WireAnswer = boolean | string | Outcome | PlainAnswer | readonly (Outcome | PlainAnswer)[] | undefined;

/**
 * What a process extension answers, as the bus takes it. Outcomes are objects with a `kind`; everything else stays as it is: the bus knows
 * what the event allows, and denies an answer that tries to decide and fails.
 */
export function readAnswer(given: unknown): WireAnswer {
  if (given === null || given === undefined) return undefined;
  const isWritten = Array.isArray(given) ? given.some(isOutcomeFrame) : isOutcomeFrame(given);
  if (!isWritten) return given as WireAnswer;
  const parts: readonly unknown[] = Array.isArray(given) ? given : [given];
  return parts.flatMap((part): readonly unknown[] => (isOutcomeFrame(part) ? readOutcomes(part) : [part])) as WireAnswer;
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

function isOutcomeFrame(given: unknown): boolean {
  return typeof given === "object" && given !== null && Object.hasOwn(given, "kind");
}

import type { Bus } from "../bus/bus.js";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { findEvent } from "../catalog/names.js";
import { createRedactor } from "../redact/redact.js";
import { canonicalJson } from "./_chain/seal.js";
import { describeDecision, describeResult } from "./_record/describe.js";
import { differenceAt, quoteAt } from "./_tape/compare.js";
import { abortOf, type Dispatch, dispatchesOf, inputOf } from "./_tape/tape.js";
import { track } from "./_tape/tracked.js";
import type { DecisionFields, Tape, TransformFields } from "./entries.js";

/** The result of a call, as recorded or now. */
export type RerunResult = DecisionFields | TransformFields | { readonly error: { readonly code: string; readonly message: string } };

/** One recorded decision or transform that came out differently. */
export interface RerunRow {
  /** The recorded decision or transform. */
  readonly n: number;
  readonly event: string;
  readonly recorded: RerunResult | undefined;
  readonly now: RerunResult | undefined;
  readonly why: string;
}

/** What `rerun` returns. */
export interface RerunReport {
  /** How many gave the recorded result. */
  readonly same: number;
  readonly different: readonly RerunRow[];
  /** Calls for which the record holds too little: a handler read a redacted value, a person had answered, or the caller had cancelled. */
  readonly inconclusive: readonly RerunRow[];
}

/** Options of `rerun`. */
export interface RerunOptions {
  /** Also emit the recorded observe events, for guards that keep state. Their handlers really run. Default false. */
  readonly observe?: boolean;
}

/** The part of a bus that `rerun` uses. */
export type RerunBus = Pick<Bus, "decide" | "transform" | "emit">;

/**
 * Runs today's handlers over the recorded inputs, one after the other, and reports different results.
 * The handlers really run. Nested events run only if a handler starts them.
 */
export async function rerun(tape: Tape, bus: RerunBus, options: RerunOptions = {}): Promise<RerunReport> {
  const report = { same: 0, different: [] as RerunRow[], inconclusive: [] as RerunRow[] };
  for (const dispatch of dispatchesOf(tape)) {
    if (dispatch.depth > 0) continue;
    if (isTold(dispatch)) {
      if (options.observe === true) await bus.emit(dispatch.event, inputOf(dispatch).payload);
      continue;
    }
    const { verdict, ...row } = await compareOne(dispatch, bus);
    if (verdict === "same") report.same++;
    else report[verdict].push(row);
  }
  return report;
}

type Compared = RerunRow & { readonly verdict: "same" | "different" | "inconclusive" };

function isTold({ end, event }: Dispatch): boolean {
  return end === undefined ? findEvent(event)?.spec.kind === "observe" : end.type === "emitted";
}

async function compareOne(dispatch: Dispatch, bus: RerunBus): Promise<Compared> {
  const recorded = recordedResult(dispatch);
  const row = { n: dispatch.end?.n ?? dispatch.begins, event: dispatch.event, recorded, now: undefined };
  if (recorded === undefined) return { ...row, verdict: "inconclusive", why: "It never ended on the tape." };
  if (codeOf(recorded) === "HL_CANCELLED") return { ...row, verdict: "inconclusive", why: "The caller had cancelled it." };
  const { now, touched } = await runAgain(dispatch, bus);
  if (touched.length > 0)
    return { ...row, now, verdict: "inconclusive", why: `Something read ${touched.join(", ")}, which the tape does not hold.` };
  const why = describeDifference(recorded, now);
  if (why === undefined) return { ...row, now, verdict: "same", why: "" };
  if (hasAsked(dispatch) && NOBODY_ANSWERED.includes(codeOf(now) ?? ""))
    return { ...row, now, verdict: "inconclusive", why: "A guard asks, as it did then, and no person answers now." };
  return { ...row, now, verdict: "different", why };
}

const NOBODY_ANSWERED = ["HL_NO_APPROVER", "HL_APPROVAL_TIMEOUT", "HL_APPROVER_FAILED"];

function hasAsked({ answers }: Dispatch): boolean {
  return answers.some(({ action }) => action === "ask");
}

function codeOf(result: RerunResult): string | undefined {
  if ("error" in result) return result.error.code;
  return "cause" in result ? result.cause?.code : undefined;
}

function recordedResult(dispatch: Dispatch): RerunResult | undefined {
  const { end } = dispatch;
  const abort = abortOf(dispatch);
  if (abort !== undefined) return { error: { code: "HL_ABORTED", message: abort.reason ?? "" } };
  if (end === undefined || end.type === "emitted") return undefined;
  const { injections, reminders, out } = end;
  if (end.type === "transformed") return { injections, reminders, out };
  const { verdict, reason, by, cause, modified, endLoop, again, handled } = end;
  return { verdict, reason, by, cause, modified, out, endLoop, again, handled, injections, reminders };
}

const asJson = createRedactor({ redactSecrets: false }, () => {});

async function runAgain(dispatch: Dispatch, bus: RerunBus): Promise<{ readonly now: RerunResult; readonly touched: readonly string[] }> {
  const { event: name, end } = dispatch;
  const input = inputOf(dispatch);
  const [payload, value] = [track(input.payload, "payload"), track(input.value, "value")];
  const finish = (describe: () => RerunResult): { now: RerunResult; touched: string[] } => {
    payload.stop();
    value.stop();
    return { now: describe(), touched: [...payload.touched, ...value.touched] };
  };
  try {
    if (end?.type === "transformed") {
      const result = await bus.transform(name, value.data, payload.data);
      return finish(() => describeResult({ name, payload: payload.data }, result, input.value, asJson));
    }
    const decision = await bus.decide(name, payload.data, { copy: false });
    return finish(() => describeDecision(decision, input.payload, asJson));
  } catch (error) {
    const code = error instanceof HookError ? error.code : "HL_HANDLER_FAILED";
    return finish(() => ({ error: { code, message: messageOf(error) } }));
  }
}

const MAX_NAMED = 4;

/** Describes the difference between two results; undefined if there is none. */
function describeDifference(recorded: RerunResult, now: RerunResult): string | undefined {
  const [then, today] = [asRecord(recorded), asRecord(now)];
  const keys = [...new Set([...Object.keys(then), ...Object.keys(today)])].sort(byWeight);
  const differences = keys.flatMap((key) => {
    const place = differenceAt(then[key], today[key], [key]);
    return place === undefined ? [] : [`${place.join(".")} was ${quoteAt(then, place)} and is ${quoteAt(today, place)}`];
  });
  if (differences.length === 0) return undefined;
  const more = differences.length > MAX_NAMED ? `; and ${differences.length - MAX_NAMED} more` : "";
  return `${differences.slice(0, MAX_NAMED).join("; ")}${more}.`;
}

// The most important difference is named first.
const ORDER = ["error", "verdict", "out", "reason", "by", "cause"];

function byWeight(a: string, b: string): number {
  const weight = (key: string): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return weight(a) - weight(b);
}

/** As a transcript records it: without undefined fields. */
function asRecord(result: RerunResult): Record<string, unknown> {
  return JSON.parse(canonicalJson(result));
}

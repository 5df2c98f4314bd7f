import { messageOf } from "../../bus/describe-error.js";
import { HookError } from "../../catalog/errors.js";
import type { SendResult } from "../sink.js";
import type { HideCredentials } from "./hide-credentials.js";
import type { Answer } from "./post.js";

/** How a sink is spoken of in errors. */
export interface Subject {
  readonly name: string;
  readonly label: string;
  readonly hideCredentials: HideCredentials;
}

export function resultOfAnswer({ status, retryAfter }: Answer, { name, label }: Subject): SendResult {
  if (status >= 200 && status < 300) return { status: "sent" };
  const what = status >= 300 && status < 400 ? "a redirect, which is not followed; give the sink the final URL" : "no success";
  const cause = new HookError("HL_WEBHOOK_ANSWER", `Webhook "${name}": ${label} answered ${status}, ${what}.`);
  if (!isPassing(status)) return { status: "failed", cause };
  const afterMs = readRetryAfter(retryAfter, Date.now());
  return { status: "retry", cause, ...(afterMs !== undefined && { afterMs }) };
}

/** A refused address stays refused; every other trouble on the way may pass. */
export function resultOfError(error: unknown, subject: Subject): SendResult {
  if (error instanceof HookError && error.code === "HL_WEBHOOK_TARGET") return { status: "failed", cause: error };
  return { status: "retry", cause: unreachable(error, subject) };
}

/** What a send is told after `close`. */
export function closedResult({ name }: Subject): SendResult {
  return { status: "failed", cause: new HookError("HL_SINK_CLOSED", `Webhook "${name}" is closed and sends nothing more.`) };
}

function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

// Without the error itself: Node attaches what the peer sent, and a peer may echo a header.
function unreachable(error: unknown, { name, label, hideCredentials }: Subject): HookError {
  return new HookError("HL_WEBHOOK_UNREACHABLE", `Webhook "${name}" got no answer from ${label}: ${hideCredentials(reasonOf(error))}.`);
}

// A name with several addresses fails with a list of errors and no message of its own.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(messageOf).join("; ");
  return messageOf(error).replace(/\.$/, "");
}

/** A receiver does not get to switch a sink off for a day. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/** The wait a `Retry-After` header asks for, in seconds or as a date; nothing when it says neither. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : readHttpDate(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

// HTTP has three forms, all beginning with the name of a day; `Date.parse` takes far more, "1.5" among it.
function readHttpDate(text: string): number {
  if (!/^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? /.test(text)) return Number.NaN;
  // The form of C's asctime names no zone and means GMT.
  return Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
}

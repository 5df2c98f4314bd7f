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

import type { ErrorCode } from "../catalog/error-codes.js";
import { HookError, type HookErrorDetails } from "../catalog/errors.js";
import { asHookError, messageOf } from "./describe-error.js";
import type { Registration } from "./registration.js";
import type { Slot } from "./slot.js";

/** An error about a handler of an event. */
function about({ parts }: Registration, slot: Slot, code: ErrorCode, message: string, details: HookErrorDetails): HookError {
  return new HookError(code, message, { ...details, event: slot.name, handler: parts.name, owner: parts.owner });
}

/** What a handler threw, as our error. An extension host may throw a HookError that already knows its kind of failure. */
export function crashed(registration: Registration, slot: Slot, thrown: unknown): HookError {
  const known = asHookError(thrown);
  const message = `Handler "${registration.parts.name}" failed on "${slot.name}": ${messageOf(thrown)}`;
  const details = { fix: known?.fix, failure: known?.failure ?? "crash", cause: thrown } as const;
  return about(registration, slot, "HL_HANDLER_FAILED", message, details);
}

export function timedOut(registration: Registration, slot: Slot): HookError {
  const { name, timeoutMs } = registration.parts;
  const message = `Handler "${name}" did not answer "${slot.name}" within ${timeoutMs} ms.`;
  return about(registration, slot, "HL_TIMEOUT", message, { failure: "timeout" });
}

/**
 * The caller waits no longer. One that aborts with an `HL_TIMEOUT` of its own has set a limit to the whole decision: what is told then is
 * which handler it was that had not answered.
 */
export function givenUp({ name }: Slot, reason: unknown, waiting: string | undefined): HookError {
  const limit = asHookError(reason);
  const details = { fix: limit?.fix, event: name, handler: waiting, cause: reason };
  if (limit?.code === "HL_TIMEOUT") {
    const who = waiting === undefined ? "" : `Handler "${waiting}" did not answer "${name}" in time. `;
    return new HookError("HL_TIMEOUT", `${who}${limit.message}`, { ...details, failure: "timeout" });
  }
  const when = waiting === undefined ? "before it was decided" : `while it waited for "${waiting}"`;
  return new HookError("HL_CANCELLED", `The caller cancelled "${name}" ${when}.`, { ...details, failure: "cancelled" });
}

/** A payload that cannot be copied, so that a guard would judge one call and another could run. `cause` says why, after "The payload". */
export function unreadable({ name }: Slot, cause: unknown): HookError {
  return new HookError("HL_BAD_PAYLOAD", `The payload of "${name}" ${messageOf(cause)}.`, {
    fix: "Pass plain data, or create the bus with freeze: false.",
    event: name,
    failure: "crash",
    cause,
  });
}

/** A complaint about an answer, with its handler and event filled in. */
function complaint(error: HookError, registration: Registration, slot: Slot): HookError {
  const { code, fix, failure, cause, note } = error;
  const message = `Handler "${registration.parts.name}" answered "${slot.name}" badly: ${error.message.replace(/[.]$/, "")}.`;
  const named = about(registration, slot, code, message, { fix, failure, cause });
  named.note = note;
  return named;
}

/** Reports what is wrong with an answer; a complaint with a name (`once`) only once per handler and event. */
export function complain(error: HookError, registration: Registration, slot: Slot, once?: string): HookError {
  const named = complaint(error, registration, slot);
  if (once === undefined || registration.firstTime(`${slot.name} ${once}`)) slot.core.report(named);
  return named;
}

/** A handler has answered; one that had failed is trusted with the fast path again. */
export function recordSuccess(registration: Registration, slot: Slot): void {
  if (registration.succeeded()) slot.core.reclassify(registration);
}

/** Counts and reports a failure, and says so when it suspends an observer. */
export function recordFailure(registration: Registration, slot: Slot, error: HookError, isObserver: boolean): void {
  const wasSpecial = registration.isSpecial;
  const isSuspended = registration.failed(error, isObserver, Date.now());
  if (!wasSpecial) slot.core.reclassify(registration);
  slot.core.report(error);
  if (!isSuspended) return;
  const who = `Handler "${registration.parts.name}"`;
  const message = `${who} failed 5 times in a row on "${slot.name}" and is left out for 60 s. Last: ${error.message}`;
  slot.core.report(about(registration, slot, "HL_SUSPENDED", message, { fix: error.fix, failure: "suspended" }));
}

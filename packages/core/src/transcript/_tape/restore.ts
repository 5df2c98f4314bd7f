import type { Decision, TrailStep, TransformResult } from "../../bus/types.js";
import type { ErrorCode } from "../../catalog/error-codes.js";
import { HookError } from "../../catalog/errors.js";
import type { EntryOf, RecordedCause } from "../entries.js";
import type { Dispatch } from "./tape.js";

/** A decision as it was. A payload that was not rewritten is the one that is given now, with its secrets. */
export function restoreDecision(dispatch: Dispatch, entry: EntryOf<"decision">, payload: unknown): Decision {
  const { verdict, reason, by, actor, cause, modified, endLoop, again, handled, injections, reminders } = entry;
  return {
    verdict,
    allowed: verdict === "pass" || verdict === "allow",
    reason,
    by,
    actor,
    cause: cause === undefined ? undefined : restoreError(cause, dispatch.event),
    payload: entry.out === undefined ? payload : entry.out,
    modified,
    endLoop,
    again,
    handled,
    injections,
    reminders,
    get trail() {
      return restoreTrail(dispatch);
    },
  };
}

export function restoreResult(dispatch: Dispatch, entry: EntryOf<"transformed">, value: unknown): TransformResult {
  const { out, isWithheld = false, injections, reminders } = entry;
  return {
    value: out === undefined ? value : out,
    isWithheld,
    injections,
    reminders,
    get trail() {
      return restoreTrail(dispatch);
    },
  };
}

/** What `decide` rejected with. */
export function restoreAbort(event: string, { handler, reason = "", failure }: EntryOf<"hook_returned" | "hook_vetoed">): HookError {
  return new HookError("HL_ABORTED", reason, { event, handler, failure });
}

function restoreError({ code, message, failure }: RecordedCause, event: string): HookError {
  return new HookError(code as ErrorCode, message, { event, failure });
}

/** The handlers that were called: those whose matcher said no are not on the tape. */
function restoreTrail({ answers }: Dispatch): TrailStep[] {
  return answers
    .filter(({ stage }) => stage !== "observe")
    .map(({ handler, owner, kind = "guard", stage, round, action, reason, failure, durationMs }) => ({
      actor: { kind, name: handler, ...(owner !== undefined && { owner }) },
      stage,
      round,
      action,
      reason,
      failure,
      durationMs,
    }));
}

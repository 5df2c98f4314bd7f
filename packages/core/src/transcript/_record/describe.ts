import type { Decision, HandlerInfo, HookEvent, TapCall, TransformResult } from "../../bus/types.js";
import type { HookError } from "../../catalog/errors.js";
import { redactAnswer, redactValue, type Whence } from "../../redact/answer.js";
import type { Redactor } from "../../redact/redact.js";
import { copyJsonSafe } from "../../text/json-safe.js";
import { canonicalJson } from "../_chain/seal.js";
import type { Input } from "../_tape/tape.js";
import type { DecisionFields, EntryBody, Place, RecordedCause, TransformFields } from "../entries.js";

export function describeInput(event: HookEvent, redactor: Redactor): Input {
  const payload = redactor.payload(event.payload);
  return event.value === undefined ? { payload } : { payload, value: redactValue(redactor, event, event.value) };
}

export function describeCall(event: HookEvent, { name: handler, owner, stage }: HandlerInfo, input: Input): EntryBody {
  return { type: "hook_call", ...placeOf(event), handler, owner, stage, ...input };
}

export function describeAnswer(event: HookEvent, handler: HandlerInfo, call: TapCall, redactor: Redactor): EntryBody {
  const { action, reason, answer, failure, round } = call;
  return {
    type: action === "deny" ? "hook_vetoed" : "hook_returned",
    ...placeOf(event),
    handler: handler.name,
    owner: handler.owner,
    kind: handler.actor.kind === "guard" ? undefined : handler.actor.kind,
    stage: handler.stage,
    action,
    reason,
    outcome: answer === undefined ? undefined : redactAnswer(redactor, event, answer),
    failure: failure?.failure,
    code: failure?.code,
    onFailure: failure === undefined ? undefined : handler.onFailure,
    durationMs: Math.round(call.durationMs * 1_000) / 1_000,
    round,
  };
}

/** Decisions are recorded, and compared in a re-run, by these fields. */
export function describeDecision(decision: Decision, input: unknown, redactor: Redactor): DecisionFields {
  const { verdict, reason, by, cause, modified, endLoop, again, handled, injections } = decision;
  const out = redactor.payload(decision.payload);
  return {
    verdict,
    reason: asText(reason),
    by: asText(by),
    cause: cause === undefined ? undefined : describeCause(cause),
    modified,
    // Compared instead of taken from `modified`, because a handler may have changed the payload in place.
    out: canonicalJson(out) === canonicalJson(input) ? undefined : out,
    endLoop,
    again,
    handled: handled === undefined ? undefined : { output: redactor.part(decision.payload, ["value"], handled.output), by: handled.by },
    injections,
    reminders: describeReminders(decision, redactor),
  };
}

export function describeResult(event: Whence, result: TransformResult, input: unknown, redactor: Redactor): TransformFields {
  const out = redactValue(redactor, event, result.value);
  return {
    out: canonicalJson(out) === canonicalJson(input) ? undefined : out,
    ...(result.isWithheld && { isWithheld: true as const }),
    injections: result.injections,
    reminders: describeReminders(result, redactor),
  };
}

export function placeOf(event: HookEvent): Place {
  // Handlers do not see it, but a replay needs it to distinguish a nested event from the agent's own.
  const { depth } = event as { readonly depth?: unknown };
  return { id: event.id, event: event.name, depth: typeof depth === "number" && depth > 0 ? depth : undefined };
}

// An approver written in JavaScript may return anything, and the line must still be an entry.
function asText(value: unknown): string | undefined {
  return value === undefined || typeof value === "string" ? value : canonicalJson(copyJsonSafe(value));
}

function describeCause({ code, message, failure }: HookError): RecordedCause {
  return { code, message, failure };
}

function describeReminders({ reminders }: Pick<Decision, "reminders">, redactor: Redactor): Decision["reminders"] {
  return redactor.data(reminders) as Decision["reminders"];
}

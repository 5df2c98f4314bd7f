import { findEvent } from "../../catalog/names.js";
import type { ToolStatus } from "../../catalog/payloads.js";
import { deepEqual } from "../../match/deep-equal.js";
import { toJsonSafe } from "../../text/json-safe.js";
import { decodeFrame, eventOfName } from "./decode.js";
import { type CodewhaleFrame, type Fields, isFields } from "./frames.js";
import { isRequestPhase, readToolPhase, type ToolPhase, toolPhaseFor, verdictOfPhase } from "./phases.js";

/**
 * The frame for an event: the one it was decoded from while the payload still says the same, else one built from the payload.
 * What a frame has no member for is left out; events without a frame type of their own become a `generic_event_frame`.
 */
export function encodeFrame({ event, payload }: { readonly event: string; readonly payload: unknown }): CodewhaleFrame {
  const name = findEvent(event)?.name ?? event;
  const fields = fieldsOf(toJsonSafe(payload));
  return original(name, fields) ?? builders.get(name)?.(fields, name) ?? generic(fields, name);
}

type Build = (payload: Fields, event: string) => CodewhaleFrame | undefined;

function fieldsOf(payload: unknown): Fields {
  return isFields(payload) ? payload : payload === null ? {} : { payload };
}

function original(event: string, payload: Fields): CodewhaleFrame | undefined {
  try {
    const decoded = decodeFrame(payload.raw);
    const isSame = ([key, value]: [string, unknown]) => key === "raw" || deepEqual(value, payload[key]);
    return decoded.event === event && Object.entries(decoded.payload).every(isSame) ? (payload.raw as CodewhaleFrame) : undefined;
  } catch {
    // The event comes from another agent, or there is no frame.
    return undefined;
  }
}

const builders = new Map<string, Build>([
  ["message:start", (payload) => ({ type: "response_start", response_id: responseId(payload) })],
  ["message:delta", (payload) => ({ type: "response_delta", response_id: responseId(payload), delta: deltaOf(payload) })],
  ["message:complete", (payload) => ({ type: "response_end", response_id: responseId(payload) })],
  ["tool:before", tool],
  ["tool:progress", tool],
  ["tool:after", tool],
  ["job:update", job],
  ["approval:requested", approval],
  ["permission:replied", approval],
]);

function tool(payload: Fields, event: string): CodewhaleFrame | undefined {
  const { name, callId, input, output, durationMs } = member(payload, "tool");
  if (typeof name !== "string") return undefined;
  const { status, error, phase } = payload;
  const meant = { event, ...(event === "tool:after" ? { status: status ?? "ok" } : {}) } as ToolPhase;
  const details = { call_id: callId, input, output, error, duration_ms: durationMs, ...outcome(meant.status) };
  return {
    type: "tool_lifecycle",
    response_id: responseId(payload),
    tool_name: name,
    phase: typeof phase === "string" && deepEqual(readToolPhase(phase, details), meant) ? phase : toolPhaseFor(meant),
    payload: toJsonSafe(details),
  };
}

function outcome(status: ToolStatus | undefined): Fields {
  return status === undefined ? {} : { ok: status === "ok" };
}

function job(payload: Fields): CodewhaleFrame | undefined {
  const { id, phase, progress, detail } = member(payload, "job");
  if (typeof id !== "string") return undefined;
  return { type: "job_lifecycle", job_id: id, phase: textOf(phase) ?? "update", progress: byteOf(progress), detail: textOf(detail) };
}

function approval(payload: Fields, event: string): CodewhaleFrame | undefined {
  const { id, phase, verdict, reason } = member(payload, "approval");
  if (typeof id !== "string") return undefined;
  const isRequest = event === "approval:requested";
  const isStillTrue = typeof phase === "string" && isRequestPhase(phase) === isRequest && (isRequest || verdictOfPhase(phase) === verdict);
  const written = isRequest ? "requested" : verdict === "allow" ? "approved" : verdict === "deny" ? "denied" : "replied";
  return { type: "approval_lifecycle", approval_id: id, phase: isStillTrue ? phase : written, reason: textOf(reason) };
}

function generic({ raw: _, ...fields }: Fields, event: string): CodewhaleFrame {
  return { type: "generic_event_frame", frame: { ...fields, event: wireName(event) } };
}

/** Codewhale's spelling of a name, if it resolves to the same event. */
function wireName(event: string): string {
  const spellings = [event.replace(/^codewhale:/, ""), event.replaceAll(":", "_")];
  return spellings.find((spelling) => spelling !== event && eventOfName(spelling) === event) ?? event;
}

function responseId(payload: Fields): string {
  return textOf(member(payload, "message").id) ?? textOf(member(payload, "turn").id) ?? "";
}

function deltaOf({ message, delta }: Fields): string {
  return textOf(isFields(message) ? message.delta : message) ?? textOf(delta) ?? "";
}

function member(payload: Fields, key: string): Fields {
  const value = payload[key];
  return isFields(value) ? value : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function byteOf(value: unknown): number | null {
  return typeof value === "number" ? Math.min(255, Math.max(0, Math.round(value))) : null;
}

import { findOne } from "../../catalog/names.js";
import type { BasePayload, ToolCall, ToolInput } from "../../catalog/payloads.js";
import {
  type ApprovalLifecycle,
  bad,
  type CodewhaleFrame,
  type Fields,
  type GenericEventFrame,
  isFields,
  type JobLifecycle,
  parseFrame,
  quoted,
  type ToolLifecycle,
} from "./frames.js";
import { isRequestPhase, readToolPhase, verdictOfPhase } from "./phases.js";

/** A codewhale frame as an event of the catalogue; `payload.raw` is the frame. */
export interface CodewhaleEvent {
  readonly event: string;
  readonly payload: BasePayload;
}

/** Reads the event from a frame. Throws `HL_CODEC`, which names the fault, for anything else. */
export function decodeFrame(value: unknown): CodewhaleEvent {
  const frame = parseFrame(value);
  const { event, payload } = read(frame);
  return { event, payload: { ...payload, raw: frame } };
}

/** The event behind a generic frame's `event`: any spelling of a catalogue event, else one of codewhale's own. */
export function eventOfName(name: string): string | undefined {
  return findOne(name)?.name ?? findOne(`codewhale:${name}`)?.name;
}

function read(frame: CodewhaleFrame): CodewhaleEvent {
  switch (frame.type) {
    case "response_start":
      return { event: "message:start", payload: { message: { id: frame.response_id } } };
    case "response_delta":
      return { event: "message:delta", payload: { message: { id: frame.response_id, delta: frame.delta } } };
    case "response_end":
      return { event: "message:complete", payload: { message: { id: frame.response_id } } };
    case "tool_lifecycle":
      return readTool(frame);
    case "job_lifecycle":
      return readJob(frame);
    case "approval_lifecycle":
      return readApproval(frame);
    case "generic_event_frame":
      return readGeneric(frame);
  }
}

function readTool({ response_id, tool_name, phase, payload }: ToolLifecycle): CodewhaleEvent {
  const { event, status } = readToolPhase(phase, payload);
  const details: Fields = isFields(payload) ? payload : {};
  const tool: ToolCall = {
    ...callOf(tool_name, details, event === "tool:before"),
    ...(event === "tool:before" ? {} : { output: details.output ?? details.result ?? payload }),
    ...(status === undefined ? {} : { isError: status !== "ok" }),
    ...(status !== undefined && Number.isInteger(details.exit_code) ? { exitCode: details.exit_code as number } : {}),
    ...(typeof details.duration_ms === "number" ? { durationMs: details.duration_ms } : {}),
  };
  const ending = status === undefined ? {} : { status, ...(details.error === undefined ? {} : { error: details.error }) };
  return { event, payload: { message: { id: response_id }, tool, phase, ...ending } };
}

/** A tool's input is the member of that name. Before the call, it is everything that came with the frame. */
function callOf(name: string, details: Fields, isWholeInput: boolean): ToolCall {
  const input = [details.input, details.arguments, details.args].find(isFields) ?? (isWholeInput ? details : {});
  const callId = details.call_id ?? details.tool_call_id;
  return { name, ...(typeof callId === "string" ? { callId } : {}), input: input as ToolInput };
}

function readJob({ job_id, phase, progress = null, detail = null }: JobLifecycle): CodewhaleEvent {
  return { event: "job:update", payload: { job: { id: job_id, phase, progress, detail } } };
}

function readApproval({ approval_id, phase, reason = null }: ApprovalLifecycle): CodewhaleEvent {
  const verdict = verdictOfPhase(phase);
  const approval = { id: approval_id, phase, reason };
  if (isRequestPhase(phase)) return { event: "approval:requested", payload: { approval } };
  return { event: "permission:replied", payload: { approval: verdict === undefined ? approval : { ...approval, verdict } } };
}

function readGeneric({ frame }: GenericEventFrame): CodewhaleEvent {
  const { event: name, ...fields } = frame;
  const conventions = conventionsOf({ ...(isFields(fields.request) ? fields.request : {}), ...fields });
  const event = isReasoning(name, fields) ? "reasoning:delta" : eventOfName(name);
  if (event === undefined) throw bad(`The event ${quoted(name)} of a codewhale generic_event_frame is not an event name.`);
  const payload: Fields = { ...data(fields), ...conventions };
  // A handler of tool:* may rely on payload.tool.
  const isUsable = !event.startsWith("tool:") || (isFields(payload.tool) && typeof payload.tool.name === "string");
  return { event: isUsable ? event : `codewhale:${name}`, payload };
}

function isReasoning(name: string, fields: Fields): boolean {
  return name === "response_delta" && fields.channel === "reasoning";
}

function conventionsOf(fields: Fields): BasePayload {
  const { response_id, delta, turn_id, tool_name, approval_id, reason } = fields;
  return {
    ...(typeof turn_id === "string" ? { turn: { id: turn_id } } : {}),
    ...(typeof tool_name === "string" ? { tool: callOf(tool_name, fields, false) } : {}),
    ...(typeof approval_id === "string" ? { approval: { id: approval_id, reason: reason ?? null } } : {}),
    ...(typeof response_id === "string" && fields.message === undefined
      ? { message: { id: response_id, ...(typeof delta === "string" ? { delta } : {}) } }
      : {}),
  };
}

/** Members that do not have the shape which readers expect under that name stay in `raw` only. */
function data(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => !SHAPED.has(key) || isFields(value)));
}

const SHAPED = new Set(["session", "agent", "turn", "tool", "worker", "usage"]);

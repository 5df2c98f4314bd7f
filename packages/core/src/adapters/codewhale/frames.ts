import { HookError } from "../../catalog/errors.js";
import { didYouMean } from "../../text/did-you-mean.js";

/** A JSON object whose members are not known yet. */
export type Fields = { readonly [key: string]: unknown };

/** A frame that codewhale writes: one of seven types, distinguished by `type`. It may have other members, too. */
export type CodewhaleFrame =
  | { readonly type: "response_start"; readonly response_id: string }
  | { readonly type: "response_delta"; readonly response_id: string; readonly delta: string }
  | { readonly type: "response_end"; readonly response_id: string }
  | ToolLifecycle
  | JobLifecycle
  | ApprovalLifecycle
  | GenericEventFrame;

/** Reports a phase of a tool call. */
export interface ToolLifecycle {
  readonly type: "tool_lifecycle";
  readonly response_id: string;
  readonly tool_name: string;
  readonly phase: string;
  readonly payload: unknown;
}
/** Reports the phase and progress of a job. */
export interface JobLifecycle {
  readonly type: "job_lifecycle";
  readonly job_id: string;
  readonly phase: string;
  /** Percent, as an unsigned byte. */
  readonly progress?: number | null;
  readonly detail?: string | null;
}
/** Reports a phase of an approval. */
export interface ApprovalLifecycle {
  readonly type: "approval_lifecycle";
  readonly approval_id: string;
  readonly phase: string;
  readonly reason?: string | null;
}
/** Reports any other event. */
export interface GenericEventFrame {
  readonly type: "generic_event_frame";
  readonly frame: { readonly [field: string]: unknown; readonly event: string };
}

/** The frame itself if it is one; throws `HL_CODEC`, naming the member at fault, otherwise. */
export function parseFrame(value: unknown): CodewhaleFrame {
  if (!isFields(value)) throw bad("A codewhale frame is a JSON object.");
  const { type } = value;
  const rules = typeof type === "string" ? frameRules.get(type) : undefined;
  if (rules === undefined) throw unknownType(type);
  for (const [member, [accepts, wants]] of Object.entries(rules))
    if (!accepts(Object.hasOwn(value, member) ? value[member] : undefined))
      throw bad(`The "${member}" of a codewhale ${type} frame must be ${wants}.`);
  return value as unknown as CodewhaleFrame;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function bad(message: string, cause?: unknown): HookError {
  return new HookError("HL_CODEC", message, cause === undefined ? {} : { cause });
}

/** Text from outside, short and without control characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

type Rule = readonly [accepts: (value: unknown) => boolean, wants: string];

const isText = (value: unknown): boolean => typeof value === "string";
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isByte = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;

const text: Rule = [isText, "text"];
const maybeText: Rule = [(value) => isAbsent(value) || isText(value), "text or null"];
const maybeByte: Rule = [(value) => isAbsent(value) || isByte(value), "a whole number from 0 to 255, or null"];
const present: Rule = [(value) => value !== undefined, "there"];
const eventFrame: Rule = [(value) => isFields(value) && isText(value.event), `an object with an "event"`];

const frameRules = new Map<string, { readonly [member: string]: Rule }>([
  ["response_start", { response_id: text }],
  ["response_delta", { response_id: text, delta: text }],
  ["response_end", { response_id: text }],
  ["tool_lifecycle", { response_id: text, tool_name: text, phase: text, payload: present }],
  ["job_lifecycle", { job_id: text, phase: text, progress: maybeByte, detail: maybeText }],
  ["approval_lifecycle", { approval_id: text, phase: text, reason: maybeText }],
  ["generic_event_frame", { frame: eventFrame }],
]);

function unknownType(type: unknown): HookError {
  const types = [...frameRules.keys()];
  if (typeof type !== "string") return bad(`A codewhale frame needs a "type": one of ${types.join(", ")}.`);
  return bad(`${quoted(type)} is not a codewhale frame type.${didYouMean(type, types)} The types are ${types.join(", ")}.`);
}

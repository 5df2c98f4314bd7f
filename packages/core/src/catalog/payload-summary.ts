import type { DecisionStep } from "./envelope.js";
import { upgradeSteps } from "./envelope-v1.js";

type Fields = { readonly [field: string]: unknown };

/** The fields of a tool's input that say what a call is about. The first one that is there counts. */
const ABOUT = ["command", "path", "file_path", "url", "query", "pattern", "prompt", "description"];
/** Fields that every event has: they say nothing about this one. */
const MUNDANE = new Set(["session", "agent", "turn", "cwd", "raw", "session_id", "_forwarded", "_forwarded_from"]);

/** A summary of a payload for one line. Takes any JSON. The text is not escaped yet. */
export function summarizePayload(payload: unknown): string {
  if (!isFields(payload)) return textOf(payload);
  return (
    aboutTool(payload) ??
    aboutApproval(payload) ??
    aboutWorker(payload) ??
    aboutOperator(payload) ??
    words(payload) ??
    aboutUsage(payload) ??
    rest(payload)
  );
}

/** A summary of a tool's input: the field that says what the call is about, else all of it as JSON. */
export function summarizeInput(input: unknown): string {
  if (!isFields(input)) return textOf(input);
  const about = ABOUT.map((field) => input[field]).find((value) => typeof value === "string" && value !== "");
  return textOf(about ?? (Object.keys(input).length === 0 ? undefined : input));
}

/** Never `String(value)`: an object from JSON may have a `toString` that is not a function. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function aboutTool({ tool, status, error, transform }: Fields): string | undefined {
  if (!isFields(tool) || typeof tool.name !== "string") return undefined;
  const outcome = typeof status === "string" ? outcomeOf(status, tool.durationMs) : transformOf(transform);
  const trouble = status === "ok" || status === "blocked" ? "" : textOf(error);
  return [tool.name, summarizeInput(tool.input), outcome, trouble].filter((part) => part !== "").join(" ");
}

/** Which handlers replaced a value, or failed and withheld it. */
function transformOf(transform: unknown): string {
  if (!isFields(transform) || transform.isReplaced !== true || !Array.isArray(transform.trail)) return "";
  const trail = upgradeSteps(transform.trail.filter(isFields) as unknown as readonly DecisionStep[]);
  const steps = trail.filter(({ actor, action }) => actor?.kind !== "hub" && (action === "replace" || action === "failed"));
  const isWithheld = steps.some(({ action }) => action === "failed");
  return `→ ${isWithheld ? "withheld" : "replaced"} by ${textsIn(steps.map(({ actor }) => actor?.name)).join(", ")}`;
}

function outcomeOf(status: string, durationMs: unknown): string {
  return typeof durationMs === "number" && status !== "blocked" ? `→ ${status} in ${Math.round(durationMs)} ms` : `→ ${status}`;
}

function aboutApproval({ approval }: Fields): string | undefined {
  if (!isFields(approval)) return undefined;
  const { by, verdict, reason, payload } = approval;
  const said = textsIn([by, verdict ?? "asks", reason]).join(" ");
  const about = isFields(payload) ? aboutTool(payload) : undefined;
  return about === undefined ? said : `${about}: ${said}`;
}

function aboutWorker({ worker }: Fields): string | undefined {
  return isFields(worker) ? textsIn([worker.name ?? worker.id, worker.task, worker.status]).join(": ") : undefined;
}

/** An operator steered a session, or was refused an action. */
function aboutOperator({ via, by, text, status, operator, action, target }: Fields): string | undefined {
  if (typeof via === "string" && typeof text === "string") return `${textOf(by)}: ${text} → ${textOf(status)}`;
  return typeof operator === "string" && typeof action === "string" ? textsIn([operator, action, target]).join(" ") : undefined;
}

function words({ delta, message, prompt, text, target, reason, error }: Fields): string | undefined {
  const [said] = textsIn([delta, message, prompt, text, target, reason]);
  if (said !== undefined || error === undefined) return said;
  return textOf(isFields(error) ? (error.message ?? error) : error);
}

function aboutUsage({ usage }: Fields): string | undefined {
  if (!isFields(usage)) return undefined;
  const { inputTokens = "?", outputTokens = "?", costUsd } = usage;
  const tokens = `${textOf(inputTokens)} tokens in, ${textOf(outputTokens)} out`;
  return costUsd === undefined ? tokens : `${tokens}, $${typeof costUsd === "number" ? Number(costUsd.toPrecision(4)) : textOf(costUsd)}`;
}

/** Fields in words. What is nested in them is left to those who open the event. */
function rest(payload: Fields): string {
  return Object.entries(payload)
    .filter(([field]) => !MUNDANE.has(field))
    .map(([field, value]) => `${field} ${briefly(value)}`)
    .join(", ");
}

function briefly(value: unknown): string {
  if (Array.isArray(value)) return value.every((one) => typeof one !== "object") ? value.map(textOf).join(" ") : "[…]";
  return isFields(value) ? "{…}" : String(value);
}

function textsIn(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { ToolStatus } from "../../catalog/payloads.js";

/** What a tool's phase means: an event and, at the end, how it ended. */
export interface ToolPhase {
  readonly event: "tool:before" | "tool:progress" | "tool:after";
  readonly status?: ToolStatus;
}

/**
 * The event of a `tool_lifecycle` phase. Codewhale's runtime says precheck, dispatching, completed and failed, its protocol start, end and error.
 * A call is announced once, by its precheck, so dispatching is progress; and so is an unknown phase.
 */
export function readToolPhase(phase: string, payload: unknown): ToolPhase {
  const word = normalized(phase);
  if (BEFORE.has(word)) return { event: "tool:before" };
  const status = STATUSES.find(([, words]) => words.includes(word))?.[0];
  if (status === undefined) return { event: "tool:progress" };
  return { event: "tool:after", status: status === "ok" && saysFailed(payload) ? "error" : status };
}

/** The phase for an event that did not come from codewhale. */
export function toolPhaseFor({ event, status = "ok" }: ToolPhase): string {
  if (event !== "tool:after") return event === "tool:before" ? "start" : "progress";
  return STATUSES.find(([name]) => name === status)?.[1][0] ?? "failed";
}

/** Is the approval still open? */
export function isRequestPhase(phase: string): boolean {
  return REQUESTED.has(normalized(phase));
}

/** What an approval's phase decides, if it says so. */
export function verdictOfPhase(phase: string): "allow" | "deny" | undefined {
  const word = normalized(phase);
  return ALLOWED.has(word) ? "allow" : DENIED.has(word) ? "deny" : undefined;
}

const BEFORE = new Set([
  "start",
  "started",
  "starting",
  "begin",
  "began",
  "before",
  "pre",
  "precheck",
  "call",
  "requested",
  "queued",
  "pending",
]);
// The first word of each list is the one we write.
const STATUSES: readonly (readonly [ToolStatus, readonly string[]])[] = [
  ["ok", ["completed", "complete", "end", "ended", "finish", "finished", "done", "after", "post", "result", "success", "succeeded", "ok"]],
  ["error", ["failed", "fail", "failure", "error", "errored"]],
  ["blocked", ["denied", "blocked", "rejected", "refused"]],
  ["cancelled", ["cancelled", "canceled", "aborted", "interrupted"]],
  ["timeout", ["timeout", "timed_out"]],
];
const REQUESTED = new Set(["requested", "request", "required", "asked", "pending", "waiting", "created"]);
const ALLOWED = new Set(["approved", "approved_for_session", "allowed", "allow", "granted", "accepted"]);
const DENIED = new Set([
  "denied",
  "deny",
  "rejected",
  "refused",
  "declined",
  "expired",
  "timeout",
  "timed_out",
  "cancelled",
  "aborted",
  "abort",
]);

function normalized(phase: string): string {
  return phase
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

function saysFailed(payload: unknown): boolean {
  const said = (payload ?? {}) as { ok?: unknown; success?: unknown; is_error?: unknown };
  return said.ok === false || said.success === false || said.is_error === true;
}

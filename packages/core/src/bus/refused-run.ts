import type { HookError } from "../catalog/errors.js";
import type { ToolPayload } from "../catalog/payloads.js";
import { DecisionRecord } from "./decision.js";
import type { ToolRun } from "./run-tool.js";
import type { Decision } from "./types.js";

/** A tool call that is refused before any hook could be asked. */
export function refusedRun(call: ToolPayload, cause: HookError): ToolRun<never> {
  const decision = new DecisionRecord("deny", call, [], 0);
  decision.reason = cause.message;
  decision.cause = cause;
  return {
    status: "blocked",
    error: cause.message,
    decision: decision as Decision<ToolPayload>,
    injections: [],
    reminders: [],
    durationMs: 0,
  };
}

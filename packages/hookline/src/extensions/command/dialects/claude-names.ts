import type { HookEvent } from "@hookline/core";
import { fieldsOf } from "./event-fields.js";

/** Claude Code's names for our events. */
const names: { readonly [event: string]: string } = {
  "session:start": "SessionStart",
  "session:end": "SessionEnd",
  "session:error": "StopFailure",
  "prompt:submit": "UserPromptSubmit",
  "agent:step": "PostToolBatch",
  "tool:before": "PreToolUse",
  "tool:result": "PostToolUse",
  "tool:after": "PostToolUse",
  "permission:asked": "PermissionRequest",
  "permission:replied": "PermissionDenied",
  "finish:before": "Stop",
  "worker:spawned": "SubagentStart",
  "worker:completed": "SubagentStop",
  "worker:waiting": "TeammateIdle",
  "task:created": "TaskCreated",
  "task:completed": "TaskCompleted",
  "compact:before": "PreCompact",
  "compact:after": "PostCompact",
  "notification:sent": "Notification",
  "mcp:elicitation": "Elicitation",
  "mcp:elicitation_result": "ElicitationResult",
  "file:edited": "FileChanged",
  "message:complete": "MessageDisplay",
};

/** What an event is called in Claude Code. Where several are one of ours, the agent's own word counts. */
export function claudeName(event: HookEvent): string {
  const { name, payload } = event;
  if (name === "tool:after" && (payload as { readonly status?: unknown }).status === "error") return "PostToolUseFailure";
  const known = names[name] ?? (name.startsWith("command:") ? "UserPromptExpansion" : undefined);
  if (known !== undefined) return known;
  const { hook_event_name: said } = fieldsOf(event).raw;
  return typeof said === "string" && said !== "" ? said : name.replace(/(?:^|[:_.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

import type { catalog, families } from "./events.js";

/** What stands in a field. Below `any`, `record` and `input` every path is valid, because only the tool or the agent knows what is there. */
export type Leaf = "text" | "number" | "flag" | "status" | "any" | "record" | "input";
/** The fields of a payload or of a part of it, by name. `?`: it may be missing. */
export interface Shape {
  readonly [field: string]: Leaf | Shape;
}

export const sessionShape = { id: "text", "parentId?": "text" } as const satisfies Shape;
export const agentShape = {
  "name?": "text",
  "id?": "text",
  "model?": "text",
  "platform?": "text",
  "userId?": "text",
} as const satisfies Shape;
export const turnShape = { "id?": "text", "iteration?": "number", "totalIterations?": "number" } as const satisfies Shape;
export const toolShape = {
  name: "text",
  "runtimeName?": "text",
  "server?": "text",
  "callId?": "text",
  input: "input",
  "output?": "any",
  "isUnguarded?": "flag",
  "isError?": "flag",
  "exitCode?": "number",
  "durationMs?": "number",
} as const satisfies Shape;
export const workerShape = {
  id: "text",
  "name?": "text",
  "task?": "text",
  "mode?": "text",
  "status?": "text",
  "metadata?": "record",
} as const satisfies Shape;
/** The first four count different tokens. `reasoningTokens` are a part of `outputTokens`. */
export const usageShape = {
  "inputTokens?": "number",
  "outputTokens?": "number",
  "cacheReadTokens?": "number",
  "cacheWriteTokens?": "number",
  "reasoningTokens?": "number",
  "costUsd?": "number",
} as const satisfies Shape;

/** What every payload may have. Types, the check of paths and the documentation derive from these tables. */
export const baseShape = {
  "session?": sessionShape,
  "agent?": agentShape,
  "turn?": turnShape,
  "worker?": workerShape,
  "usage?": usageShape,
  "prompt?": "text",
  "message?": "any",
  "cwd?": "text",
  "target?": "text",
  "transcript?": "any",
  "mode?": "text",
  "permissionMode?": "text",
  "unreadable?": "any",
  "imported?": "flag",
  "_forwarded?": "flag",
  "_forwarded_from?": "text",
  "raw?": "any",
} as const satisfies Shape;

/** What a tool call has been asked about. */
const maybeTool = { "tool?": toolShape } as const;

type Any<Names extends string> = { readonly [N in Names as `${N}?`]: "any" };

/** Fields that agents fill in their own ways. */
function any<const Names extends readonly string[]>(...names: Names): Any<Names[number]> {
  return Object.fromEntries(names.map((name) => [`${name}?`, "any"])) as Any<Names[number]>;
}

const chat = any("platform", "user_id", "session_id", "session_key", "chat_id", "thread_id", "chat_type");
const suspension = any("reason", "initiator", "conditions");
const streamed = any("messageId", "delta", "response_id", "kind", "final_text", "finished", "error", "data");
const request = any("request", "response", "error", "model", "provider", "status_code", "retry_count", "reason", "aux_task", "details");
const finishing = any("isAgain", "reason", "attempt", "final_response", "changed_paths", "return_value", "unsettled", "has_on_finish");
const unsettled = any("unsettled", "return_value", "options");
const delegated = any("reason", "child_role", "child_goal", "child_summary", "child_status", "prompt_preview", "result_preview");
const compaction = any("trigger", "instructions", "summary", "old_session_id", "new_session_id", "message_count", "in_place", "data");
const step = any("persona", "step", "args", "output");
const guarding = any("guard", "what", "change", "rule", "path", "reason", "by", "until");

/** What an event has besides, in our words and in those of the runtimes whose events these are. An event that is not listed has the base fields. */
// biome-ignore format: one event, one line
export const eventShapes = {
  "gateway:startup": any("platform", "platforms"),
  "session:start": { ...chat, ...any("source", "trigger", "task", "system", "max_iterations", "mode", "model", "workspace") },
  "session:end": { ...chat, ...any("reason", "error", "final_status", "stop_reason", "iterations", "total_tokens") },
  "session:reset": { ...chat, ...any("reason", "old_session_id", "new_session_id") },
  "session:error": { ...maybeTool, ...any("error", "kind", "reason", "final_status", "stop_reason", "response_id") },
  "session:idle": any("idleMs"),
  "session:info": any("title", "from", "to", "change"),
  "session:steer": any("id", "kind", "text", "reminder", "interrupt", "by", "via", "agent", "status", "author", "mode"),
  "suspend:before": suspension,
  "suspend:after": suspension,
  "resume:before": suspension,
  "resume:after": suspension,
  "agent:start": { ...chat, ...any("turn_id") },
  "agent:step": { ...chat, ...any("iteration", "tool_names", "calls") },
  "agent:end": { "reason?": "text", ...chat, ...any("response", "provider", "model", "error", "iterations", "response_length", "invalidation_reason", "turn_id") },
  "turn:before": any("iteration"),
  "turn:after": any("iteration"),
  "turn:end": { ...chat, ...any("status", "error", "reason", "mode", "model", "provider", "totals", "turn_id", "duration_ms", "tool_count", "created_at", "workspace", "assistant_response", "completed", "failed", "interrupted", "turn_exit_reason") },
  "finish:before": finishing,
  "finish:after": finishing,
  "finish:unsettled": finishing,
  "drain:before": unsettled,
  "drain:after": unsettled,
  "drain:decision": { ...unsettled, ...any("action", "item", "payload", "pending") },
  "loop:checkpoint": { "kind?": "text", ...any("iteration", "delivered", "inbox_delivered", "dispatch_skipped") },
  "prompt:submit": { ...chat, ...any("system", "text", "mode", "model", "workspace", "total_tokens") },
  "prompt:build": any("system_prompt", "user_message", "conversation_history", "is_first_turn", "model", "platform", "sender_id", "system"),
  "llm:before": request,
  "llm:after": request,
  "llm:error": request,
  "message:route": { ...chat, ...any("event") },
  "message:start": streamed,
  "message:delta": streamed,
  "message:complete": streamed,
  "answer:transform": any("response_text", "model", "platform", "session_id"),
  "reasoning:delta": streamed,
  "tool:before": { tool: toolShape, ...any("phase", "tool_call_id", "task_id", "turn_id", "api_request_id") },
  "tool:progress": { tool: toolShape, ...any("phase", "progress") },
  "tool:result": { tool: toolShape, ...any("status", "error", "command", "returncode", "env_type") },
  "tool:after": { tool: toolShape, status: "status", ...any("error", "phase", "calls", "duration_ms", "error_type", "error_message", "exit_code") },
  "tool:env": { tool: toolShape },
  "permission:asked": { ...maybeTool, ...any("approval", "request", "reason", "command", "description", "surface", "pattern_key", "pattern_keys") },
  "approval:requested": { ...maybeTool, ...any("approval", "reason") },
  "permission:replied": { ...maybeTool, ...any("approval", "verdict", "reason", "decision", "choice", "decided_by", "command") },
  "permission:refused": any("operator", "action", "reason", "by", "suppressed"),
  "transcript:head": { transcript: { id: "text", n: "number", hash: "text", closed: "flag", "path?": "text" } },
  "guard:tampered": guarding,
  "guard:paused": guarding,
  "guard:resumed": guarding,
  "policy:accepted": any("changes"),
  "compact:before": compaction,
  "compact:after": { ...chat, ...compaction },
  "worker:spawned": delegated,
  "worker:progressed": delegated,
  "worker:waiting": delegated,
  "worker:suspended": delegated,
  "worker:resumed": delegated,
  "worker:completed": delegated,
  "worker:failed": { ...delegated, ...any("error") },
  "worker:stopped": delegated,
  "worker:cancelled": delegated,
  "step:before": step,
  "step:after": step,
  "budget:threshold": any("threshold", "pct", "budget"),
  "handoff:emitted": any("to", "from", "reason"),
  "persona:paused": any("persona", "reason"),
  "persona:resumed": any("persona", "reason"),
  "file:edited": any("path", "metadata", "change"),
  "mode:change": any("mode", "previousMode", "previous_mode", "from", "to"),
  "job:update": any("job"),
  "notification:sent": any("title", "kind", "details", "rule", "event"),
} as const satisfies { readonly [N in keyof typeof catalog]?: Shape };

/** The same for namespaces in which any name is an event. */
export const familyShapes = {
  command: { ...chat, ...any("command", "args", "raw_command", "raw_args", "args_raw", "alias_used", "surface", "name") },
  tui: { "session_id?": "text", "payload?": "any" },
  mcp: { ...maybeTool, ...any("server", "action", "elicitation") },
  exec: { ...maybeTool, ...any("command", "exit_code", "output", "call_id") },
  patch: { ...maybeTool, ...any("changes", "call_id") },
  goal: any("goal"),
  task: any("task", "task_id", "teammate", "board", "assignee", "profile_name", "run_id", "summary", "reason"),
  skill: any("skill", "skill_name", "action", "provenance"),
  media: any("file_path", "provider", "language", "source", "model", "text"),
  room: any("room_id", "thread_id", "member_id", "kind", "seq", "payload"),
  reaction: { ...chat, ...any("reaction", "item_user_id", "item_type", "channel_id", "message_ts", "team_id", "event_ts", "raw_event") },
  reminder: any("reminder", "change", "at", "reason", "provider", "event"),
} as const satisfies { readonly [F in keyof typeof families]: Shape };

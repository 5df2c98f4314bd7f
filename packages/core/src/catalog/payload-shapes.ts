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

/** What the gateway of Hermes says of a conversation. */
const user = any("platform", "user_id");
const chat = { ...user, ...any("session_id", "chat_id", "thread_id", "chat_type") };
const streamed = any("messageId", "delta", "response_id");
const pausing = any("by", "until", "reason");

/**
 * What an event has besides. Only what an adapter, an agent, the hub or the gateway of Hermes fills is here: a match on a field that nothing
 * fills would never fire. Every runtime's own fields are in `raw`, too.
 */
// biome-ignore format: one event, one line
export const eventShapes = {
  "gateway:startup": any("platforms"),
  "session:start": { ...user, ...any("session_id", "session_key", "source", "trigger") },
  "session:end": { ...user, ...any("session_key", "reason") },
  "session:reset": { ...user, ...any("session_key", "reason") },
  "session:error": { ...maybeTool, ...any("error", "response_id") },
  "session:idle": any("idleMs"),
  "session:info": any("title", "from", "to"),
  "session:steer": any("id", "kind", "text", "reminder", "interrupt", "by", "via", "agent", "status", "reason"),
  "suspend:before": any("reason"),
  "suspend:after": any("reason"),
  "resume:before": {},
  "resume:after": {},
  "agent:start": { ...chat, ...any("turn_id") },
  "agent:step": { ...user, ...any("session_id", "iteration", "tool_names", "calls") },
  "agent:end": { "reason?": "text", ...chat, ...any("response", "provider", "model", "turn_id") },
  "turn:before": {},
  "turn:after": {},
  "turn:end": any("status", "assistant_response"),
  "finish:before": any("isAgain", "reason"),
  "finish:after": {},
  "finish:unsettled": {},
  "drain:before": {},
  "drain:after": {},
  "drain:decision": any("pending"),
  "loop:checkpoint": { "kind?": "text" },
  "prompt:submit": {},
  "prompt:build": {},
  "llm:before": any("request", "model", "provider"),
  "llm:after": any("model", "provider"),
  "llm:error": any("error"),
  "message:route": { ...chat, ...any("session_key") },
  "message:start": any("messageId", "response_id"),
  "message:delta": streamed,
  "message:complete": streamed,
  "answer:transform": {},
  "reasoning:delta": any("delta", "response_id"),
  "tool:before": { tool: toolShape, ...any("phase") },
  "tool:progress": { tool: toolShape, ...any("phase", "progress") },
  "tool:result": { tool: toolShape },
  "tool:after": { tool: toolShape, status: "status", ...any("error", "phase") },
  "tool:env": { tool: toolShape },
  "permission:asked": { ...maybeTool, ...any("approval", "request", "reason") },
  "approval:requested": { ...maybeTool, ...any("approval", "reason") },
  "permission:replied": { ...maybeTool, ...any("approval", "verdict", "choice", "decided_by") },
  "permission:refused": any("operator", "action", "reason", "by", "process", "suppressed"),
  "transcript:head": { transcript: { id: "text", n: "number", hash: "text", closed: "flag", "path?": "text" } },
  "guard:tampered": any("what", "change", "path", "process"),
  "guard:paused": pausing,
  "guard:resumed": pausing,
  "policy:accepted": any("changes"),
  "compact:before": any("trigger"),
  "compact:after": { ...any("platform", "session_id", "old_session_id", "in_place", "compression_count"), ...any("trigger", "summary") },
  "worker:spawned": {},
  "worker:progressed": {},
  "worker:waiting": {},
  "worker:suspended": {},
  "worker:resumed": {},
  "worker:completed": {},
  "worker:failed": {},
  "worker:stopped": {},
  "worker:cancelled": {},
  "step:before": any("step"),
  "step:after": any("step"),
  "budget:threshold": any("threshold"),
  "handoff:emitted": any("to"),
  "persona:paused": any("persona"),
  "persona:resumed": any("persona"),
  "file:edited": any("path", "change"),
  "mode:change": any("previousMode"),
  "job:update": any("job"),
  "notification:sent": any("title", "kind", "rule", "event"),
} as const satisfies { readonly [N in keyof typeof catalog]?: Shape };

/** The same for namespaces in which any name is an event. */
export const familyShapes = {
  command: { ...user, ...any("command", "args", "raw_command", "raw_args") },
  tui: { "session_id?": "text", "payload?": "any" },
  mcp: { ...maybeTool, ...any("server", "action") },
  exec: { ...maybeTool, ...any("command") },
  patch: maybeTool,
  goal: {},
  task: any("task"),
  skill: {},
  media: {},
  room: {},
  reaction: { ...chat, ...any("reaction", "item_user_id", "item_type", "channel_id", "message_ts", "team_id", "event_ts", "raw_event") },
  reminder: any("reminder", "reason", "provider", "event", "callId", "reminders", "error"),
} as const satisfies { readonly [F in keyof typeof families]: Shape };

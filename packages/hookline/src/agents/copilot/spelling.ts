import { isObject, type Json } from "../shared/native-payload.js";
import { type CopilotEvent, events } from "./events.js";

/** The camelCase name of the event, from either spelling: Copilot CLI also runs hooks written for Claude Code, under Claude Code's names. */
export function eventNamed(native: string): CopilotEvent | undefined {
  if (Object.hasOwn(events, native)) return native as CopilotEvent;
  return Object.hasOwn(PASCAL, native) ? PASCAL[native] : undefined;
}

/** The payload in one spelling. The case of the event's name selects the spelling, except for permissionRequest and notification. */
export function inOneSpelling(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  return Object.fromEntries(Object.entries(payload).map(([key, value]) => [Object.hasOwn(FIELDS, key) ? FIELDS[key] : key, value]));
}

/**
 * Whether Copilot CLI, and not Claude Code, sent this to a hook of Claude Code: Copilot CLI also reads `.claude/settings.json`. Claude Code never
 * sends a timestamp, and always sends a permission mode or a prompt id. The environment cannot tell them apart, because every process that Copilot
 * CLI starts inherits it.
 */
export function isFromCopilot(payload: unknown): boolean {
  if (!isObject(payload)) return false;
  const fields = inOneSpelling(payload) as Json;
  const isDated = typeof fields.timestamp === "string" || typeof fields.timestamp === "number";
  return isDated && typeof fields.session_id === "string" && fields.permission_mode === undefined && fields.prompt_id === undefined;
}

const PASCAL: { readonly [name: string]: CopilotEvent } = {
  SessionStart: "sessionStart",
  SessionEnd: "sessionEnd",
  UserPromptSubmit: "userPromptSubmitted",
  PreToolUse: "preToolUse",
  PreMcpToolCall: "preMcpToolCall",
  PostToolUse: "postToolUse",
  PostToolUseFailure: "postToolUseFailure",
  PermissionRequest: "permissionRequest",
  Stop: "agentStop",
  ErrorOccurred: "errorOccurred",
  SubagentStart: "subagentStart",
  SubagentStop: "subagentStop",
  PreCompact: "preCompact",
  Notification: "notification",
};

const FIELDS: { readonly [field: string]: string } = {
  sessionId: "session_id",
  transcriptPath: "transcript_path",
  agentId: "agent_id",
  agentType: "agent_type",
  parentAgentId: "parent_agent_id",
  agentName: "agent_name",
  agentDisplayName: "agent_display_name",
  agentDescription: "agent_description",
  initialPrompt: "initial_prompt",
  toolName: "tool_name",
  toolArgs: "tool_input",
  toolInput: "tool_input",
  toolResult: "tool_response",
  tool_result: "tool_response",
  toolCallId: "tool_use_id",
  serverName: "server_name",
  stopReason: "stop_reason",
  stopHookActive: "stop_hook_active",
  errorContext: "error_context",
  customInstructions: "custom_instructions",
};

/** A tool's output, in every spelling. */
export const outputFields: readonly string[] = Object.keys(FIELDS).filter((field) => FIELDS[field] === "tool_response");

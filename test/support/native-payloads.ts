import { readFileSync } from "node:fs";

type Payloads = { readonly [native: string]: { readonly [field: string]: unknown } };

const files: { readonly [id: string]: readonly string[] } = {
  "claude-code": ["from-schema", "captured"],
  codex: ["captured"],
  gemini: ["payloads"],
  copilot: ["subagent", "camel-case"],
  opencode: ["captured"],
  pi: ["captured"],
  qwen: ["captured"],
  kimi: ["captured"],
  cline: ["captured"],
  goose: ["captured"],
  cursor: ["documented"],
  antigravity: ["documented"],
  hermes: ["documented"],
  windsurf: ["documented"],
  kiro: ["documented"],
};

/** Of these none was captured: they have the fields that all events of the agent have, and those its package names. */
const made: { readonly [id: string]: Payloads } = {
  gemini: { Notification: { notification_type: "ToolPermission", message: "Allow it?", details: {} } },
  opencode: { session_error: { error: { name: "UnknownError" } }, session_compacting: {}, session_compacted: {} },
  pi: { session_before_compact: {}, session_compact: {} },
  copilot: { errorOccurred: { error: { message: "no", name: "Error" } }, preCompact: { trigger: "manual", customInstructions: "" } },
};

/** Events that did not happen in any run, with the fields of a call, which some of them have. */
const bare: { readonly [id: string]: readonly string[] } = {
  qwen: [
    ...["UserPromptExpansion", "SessionEnd", "SessionDelete", "StopFailure", "PreCompact", "PostCompact", "PermissionRequest"],
    ...["PermissionDenied", "TodoCreated", "TodoCompleted"],
  ],
  kimi: [
    ...["PermissionRequest", "PermissionResult", "StopFailure", "Interrupt", "SessionEnd", "PreCompact", "PostCompact", "Notification"],
  ],
  cline: ["TaskResume", "TaskCancel", "TaskError", "UserPromptSubmit", "SessionShutdown"],
  goose: ["Stop"],
};

const origins: { readonly [id: string]: readonly string[] } = {
  "claude-code": ["session_id", "transcript_path", "cwd"],
  codex: ["session_id", "transcript_path", "cwd"],
  gemini: ["session_id", "transcript_path", "cwd", "timestamp"],
  copilot: ["sessionId", "timestamp", "cwd"],
  opencode: ["session_id", "cwd"],
  pi: ["session_id", "cwd"],
  qwen: ["session_id", "transcript_path", "cwd", "timestamp"],
  kimi: ["session_id", "cwd"],
  cline: ["sessionContext", "workspaceRoots"],
  goose: ["session_id"],
  cursor: ["conversation_id", "workspace_roots"],
  antigravity: ["conversationId", "workspacePaths"],
  hermes: ["session_id", "cwd"],
  windsurf: ["trajectory_id"],
  kiro: ["session_id", "cwd"],
};

/** What an agent tells a hook of one of its events, as captured from the program, all in one session. */
export function nativePayload(id: string, native: string): { readonly [field: string]: unknown } {
  const all: Payloads = Object.assign({}, ...(files[id] ?? []).map((name) => captured(id, name)));
  const first = Object.values(all)[Object.keys(all).length - 1] ?? {};
  const start = all.SessionStart ?? all.sessionStart ?? all.on_session_start ?? first;
  const origin = Object.fromEntries((origins[id] ?? []).map((field) => [field, start[field]]));
  const own = all[native] ?? made[id]?.[native] ?? (bare[id]?.includes(native) === true ? { tool_name: "t", tool_input: {} } : undefined);
  if (own === undefined) throw new Error(`There is no payload of ${id}'s ${native}.`);
  return { ...own, ...origin, ...(id !== "copilot" && { hook_event_name: native }) };
}

function captured(id: string, name: string): Payloads {
  return JSON.parse(readFileSync(new URL(`../../packages/hookline/src/agents/${id}/fixtures/${name}.json`, import.meta.url), "utf8"));
}

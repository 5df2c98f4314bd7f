import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** Every event of Qwen Code 0.24.4. The effects of each were measured on the program. */
// biome-ignore format: one event, one line
export const events = {
  PreToolUse: row("tool:before", "block", "ask"),
  PostToolUse: row("tool:after", "inject"),
  PostToolUseFailure: row("tool:after"),
  PostToolBatch: { ...row("qwen:post_tool_batch"), leftAlone: "Repeats what PostToolUse said of each call." },
  Notification: row("notification:sent"),
  UserPromptSubmit: row("prompt:submit", "block", "inject"),
  UserPromptExpansion: row("qwen:user_prompt_expansion"),
  SessionStart: row("session:start", "inject"),
  SessionEnd: row("session:end"),
  SessionDelete: row("qwen:session_delete"),
  Stop: row("finish:before", "again"),
  StopFailure: row("session:error"),
  MessageDisplay: { ...row("qwen:message_display"), leftAlone: "Starts two more processes for each answer of the model. Stop has the last one." },
  SubagentStart: row("worker:spawned"),
  SubagentStop: row("worker:completed"),
  PreCompact: row("compact:before"),
  PostCompact: row("compact:after"),
  PermissionRequest: row("permission:asked"),
  PermissionDenied: row("qwen:permission_denied"),
  TodoCreated: row("qwen:todo_created"),
  TodoCompleted: row("qwen:todo_completed"),
  InstructionsLoaded: row("qwen:instructions_loaded"),
} as const satisfies { readonly [native: string]: NativeEvent };

export type QwenEvent = keyof typeof events;

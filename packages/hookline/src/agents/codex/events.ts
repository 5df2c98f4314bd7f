import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** Every event of Codex 0.166.0. The effects of each were measured on the program. */
export const events = {
  SessionStart: row("session:start", "inject"),
  SessionEnd: row("session:end"),
  UserPromptSubmit: row("prompt:submit", "block", "inject"),
  PreModelRequest: row("llm:before"),
  PostModelRequest: row("llm:after"),
  PreToolUse: row("tool:before", "block", "ask", "modify", "inject"),
  PostToolUse: row("tool:after", "inject", "replace"),
  PermissionRequest: row("permission:asked", "block", "ask", "allow"),
  PreCompact: row("compact:before", "block"),
  PostCompact: row("compact:after"),
  SubagentStart: row("worker:spawned", "inject"),
  SubagentStop: row("worker:completed"),
  Stop: row("finish:before", "again"),
  Interrupt: row("agent:end"),
} as const satisfies { readonly [native: string]: NativeEvent };

export type CodexEvent = keyof typeof events;

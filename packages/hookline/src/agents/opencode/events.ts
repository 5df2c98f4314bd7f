import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** What the plugin for OpenCode 1.18.33 reports: the hooks and events of its plugins, with `_` for `.`. The effects of each were measured on the program. */
// biome-ignore format: one event, one line
export const events = {
  session_start: row("session:start", "inject"),
  chat_message: row("prompt:submit", "block", "modify", "inject"),
  tool_execute_before: row("tool:before", "block", "ask", "modify", "endLoop"),
  tool_execute_after: row("tool:after", "inject", "replace"),
  tool_error: row("tool:after"),
  step_finish: row("llm:after"),
  session_idle: row("finish:before"),
  session_error: row("session:error"),
  session_compacting: row("compact:before", "inject"),
  session_compacted: row("compact:after"),
  subagent_start: row("worker:spawned"),
  subagent_idle: row("worker:completed"),
  session_end: row("session:end"),
} as const satisfies { readonly [native: string]: NativeEvent };

export type OpenCodeEvent = keyof typeof events;

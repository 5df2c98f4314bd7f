import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** Every event of Cline 3.0.65, by the name of its file. The effects of each were measured on the program. */
// biome-ignore format: one event, one line
export const events = {
  PreToolUse: row("tool:before", "block", "ask", "modify", "inject", "endLoop"),
  PostToolUse: row("tool:after", "inject"),
  TaskStart: row("session:start"),
  TaskResume: row("cline:task_resume"),
  TaskCancel: row("cline:task_cancel"),
  TaskComplete: row("finish:before"),
  TaskError: row("session:error"),
  UserPromptSubmit: row("prompt:submit"),
  SessionShutdown: row("session:end"),
  PreCompact: { ...row("compact:before"), leftAlone: "Cline knows the file and never runs it." },
} as const satisfies { readonly [native: string]: NativeEvent };

export type ClineEvent = keyof typeof events;

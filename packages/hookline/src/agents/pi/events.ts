import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** The events of pi 0.74.2 that its extension reports. The effects of each were measured on the program. */
// biome-ignore format: one event, one line
export const events = {
  session_start: row("session:start", "inject"),
  input: row("prompt:submit", "block", "modify", "inject"),
  tool_call: row("tool:before", "block", "ask", "modify", "endLoop"),
  tool_result: row("tool:after", "inject", "replace"),
  message_end: row("llm:after"),
  agent_end: row("finish:before"),
  session_before_compact: row("compact:before", "block"),
  session_compact: row("compact:after"),
  session_shutdown: row("session:end"),
  user_bash: { ...row("pi:user_bash"), leftAlone: "A command that the user types with !, and not the agent." },
} as const satisfies { readonly [native: string]: NativeEvent };

export type PiEvent = keyof typeof events;

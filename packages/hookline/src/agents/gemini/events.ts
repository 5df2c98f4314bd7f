import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** Every event of Gemini CLI 0.61.0. The effects of each were measured on the program. */
// biome-ignore format: one event, one line
export const events = {
  SessionStart: row("session:start", "inject"),
  SessionEnd: row("session:end"),
  BeforeAgent: row("prompt:submit", "block", "inject", "endLoop"),
  AfterAgent: row("finish:before", "again"),
  BeforeModel: { ...row("llm:before", "block", "modify", "endLoop"), leftAlone: "Each model call would wait for a hook that receives the whole conversation. Other hooks already report the prompt and the tools." },
  AfterModel: { ...row("llm:after"), leftAlone: "Fires for every streamed chunk with the whole conversation, and each chunk would wait for its hook." },
  BeforeToolSelection: { ...row("gemini:before_tool_selection"), leftAlone: "Anything that its hook prints, also on stderr, replaces the tool choice of Gemini CLI." },
  BeforeTool: row("tool:before", "block", "ask", "modify", "endLoop"),
  AfterTool: row("tool:after", "inject", "replace"),
  PreCompress: row("compact:before"),
  Notification: row("notification:sent"),
} as const satisfies { readonly [native: string]: NativeEvent };

export type GeminiEvent = keyof typeof events;

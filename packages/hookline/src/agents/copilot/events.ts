import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** Every event of Copilot CLI 1.0.102 by its camelCase name. The effects of each were measured on the program. */
// biome-ignore format: one event, one line
export const events = {
  sessionStart: row("session:start", "inject"),
  sessionEnd: row("session:end"),
  userPromptSubmitted: row("prompt:submit", "block", "modify", "inject"),
  userPromptTransformed: { ...row("copilot:user_prompt_transformed"), leftAlone: "Repeats the prompt of userPromptSubmitted with the date in front." },
  preToolUse: row("tool:before", "block", "ask", "allow", "modify", "inject"),
  preMcpToolCall: { ...row("mcp:tool_call"), leftAlone: "preToolUse has already seen the call; a hook here only changes the request's metadata." },
  postToolUse: row("tool:after", "inject", "replace"),
  postToolUseFailure: row("tool:after", "inject"),
  permissionRequest: row("permission:asked", "block", "ask", "allow"),
  agentStop: row("finish:before", "again"),
  errorOccurred: row("session:error"),
  subagentStart: row("worker:spawned", "inject"),
  subagentStop: row("worker:completed"),
  preCompact: row("compact:before"),
  notification: row("notification:sent", "inject"),
} as const satisfies { readonly [native: string]: NativeEvent };

export type CopilotEvent = keyof typeof events;

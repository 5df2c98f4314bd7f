import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** Every event in Windsurf's documentation, with the effects that it describes. None was tried. */
export const events = {
  pre_run_command: row("tool:before", "block", "ask"),
  pre_read_code: row("tool:before", "block", "ask"),
  pre_write_code: row("tool:before", "block", "ask"),
  pre_mcp_tool_use: row("tool:before", "block", "ask"),
  post_run_command: row("tool:after"),
  post_read_code: row("tool:after"),
  post_write_code: row("tool:after"),
  post_mcp_tool_use: row("tool:after"),
  pre_user_prompt: row("prompt:submit", "block"),
  post_cascade_response: row("turn:end"),
  post_cascade_response_with_transcript: {
    ...row("windsurf:post_cascade_response_with_transcript"),
    leftAlone: "Repeats post_cascade_response with the whole conversation.",
  },
  post_setup_worktree: { ...row("windsurf:post_setup_worktree"), leftAlone: "Fires outside of a conversation." },
} as const satisfies { readonly [native: string]: NativeEvent };

export type WindsurfEvent = keyof typeof events;

import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

const EACH = "Fires for each request to the model, which calls no tool.";

/** Every event in Antigravity's documentation, with the effects that it describes. None was tried. */
export const events = {
  PreToolUse: row("tool:before", "block", "ask"),
  PostToolUse: row("tool:after"),
  Stop: row("finish:before", "again"),
  PreInvocation: { ...row("antigravity:pre_invocation"), leftAlone: EACH },
  PostInvocation: { ...row("antigravity:post_invocation"), leftAlone: EACH },
} as const satisfies { readonly [native: string]: NativeEvent };

export type AntigravityEvent = keyof typeof events;

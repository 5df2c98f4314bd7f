import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

const REPEATED = "Repeats what PreToolUse and PostToolUse say of the same call.";

/** Every event of Goose, by its documentation. A hook can deny since 1.35. */
// biome-ignore format: one event, one line
export const events = {
  SessionStart: row("session:start"),
  SessionEnd: row("session:end"),
  Stop: row("finish:before", "again"),
  UserPromptSubmit: row("prompt:submit"),
  PreToolUse: row("tool:before", "block", "ask"),
  PreToolUseResult: { ...row("goose:pre_tool_use_result"), leftAlone: REPEATED },
  PostToolUse: row("tool:after"),
  PostToolUseFailure: row("tool:after"),
  BeforeReadFile: { ...row("goose:before_read_file"), leftAlone: REPEATED },
  AfterFileEdit: { ...row("goose:after_file_edit"), leftAlone: REPEATED },
  BeforeShellExecution: { ...row("goose:before_shell_execution"), leftAlone: REPEATED },
  AfterShellExecution: { ...row("goose:after_shell_execution"), leftAlone: REPEATED },
} as const satisfies { readonly [native: string]: NativeEvent };

export type GooseEvent = keyof typeof events;

/** The events of Goose 1.34, in which no answer has an effect. Measured on the program. */
export const observedEvents: { readonly [native: string]: NativeEvent } = {
  ...events,
  PreToolUse: row("tool:before"),
  Stop: row("finish:before"),
};

import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

const FILES = "Reports a change of a file, which PostToolUse has reported.";
const TASKS = "Belongs to the tasks of a specification, whose calls are reported one by one.";

/** Every trigger in Kiro's documentation, with the effects that it describes. None was tried. */
export const events = {
  SessionStart: row("session:start", "inject"),
  UserPromptSubmit: row("prompt:submit", "block", "inject"),
  PreToolUse: row("tool:before", "block", "ask"),
  PostToolUse: row("tool:after"),
  Stop: row("finish:before"),
  PostFileSave: { ...row("kiro:post_file_save"), leftAlone: FILES },
  PostFileCreate: { ...row("kiro:post_file_create"), leftAlone: FILES },
  PostFileDelete: { ...row("kiro:post_file_delete"), leftAlone: FILES },
  PreTaskExec: { ...row("kiro:pre_task_exec"), leftAlone: TASKS },
  PostTaskExec: { ...row("kiro:post_task_exec"), leftAlone: TASKS },
  Manual: { ...row("kiro:manual"), leftAlone: "Runs only when a person starts it." },
} as const satisfies { readonly [native: string]: NativeEvent };

export type KiroEvent = keyof typeof events;

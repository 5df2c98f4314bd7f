import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

const UNKNOWN_TO_SOME = "A part of Kimi Code does not know this event, and drops all hooks of a file that has it.";

/** Every event of Kimi Code 2.1.0. The effects of each were measured on the program. */
// biome-ignore format: one event, one line
export const events = {
  PreToolUse: row("tool:before", "block", "ask"),
  PostToolUse: row("tool:after"),
  PostToolUseFailure: row("tool:after"),
  PermissionRequest: row("permission:asked"),
  PermissionResult: row("kimi:permission_result"),
  UserPromptSubmit: row("prompt:submit", "block", "inject"),
  UserPromptQueued: { ...row("kimi:user_prompt_queued"), leftAlone: UNKNOWN_TO_SOME },
  TurnStarted: { ...row("kimi:turn_started"), leftAlone: UNKNOWN_TO_SOME },
  Stop: row("finish:before", "again"),
  StopFailure: row("session:error"),
  Interrupt: row("kimi:interrupt"),
  SessionStart: row("session:start"),
  SessionEnd: row("session:end"),
  SessionHeartbeat: { ...row("kimi:session_heartbeat"), leftAlone: UNKNOWN_TO_SOME },
  SubagentStart: row("worker:spawned"),
  SubagentStop: row("worker:completed"),
  TaskStarted: { ...row("kimi:task_started"), leftAlone: UNKNOWN_TO_SOME },
  PreCompact: row("compact:before"),
  PostCompact: row("compact:after"),
  Notification: row("notification:sent"),
} as const satisfies { readonly [native: string]: NativeEvent };

export type KimiEvent = keyof typeof events;

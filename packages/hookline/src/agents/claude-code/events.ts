import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

/** Every event of Claude Code 2.1.325. The effects of each were measured on the program and agree with its `/hooks` menu. */
// biome-ignore format: one event, one line
export const events = {
  PreToolUse: row("tool:before", "block", "ask", "allow", "modify", "inject", "endLoop"),
  PostToolUse: row("tool:after", "inject", "replace"),
  PostToolUseFailure: row("tool:after", "inject"),
  PostToolBatch: { ...row("agent:step", "inject"), leftAlone: "Fires after each round of calls and reports nothing that the hooks of the calls do not." },
  Notification: row("notification:sent"),
  UserPromptSubmit: row("prompt:submit", "block", "inject"),
  UserPromptExpansion: row("command:*", "block", "inject"),
  SessionStart: row("session:start", "inject"),
  SessionEnd: row("session:end"),
  Stop: row("finish:before", "again"),
  StopFailure: row("session:error"),
  SubagentStart: row("worker:spawned", "inject"),
  SubagentStop: row("worker:completed"),
  PreCompact: row("compact:before", "block", "inject"),
  PostCompact: row("compact:after"),
  PreModelSwitch: row("claude-code:pre_model_switch"),
  PostModelSwitch: row("session:info", "inject"),
  PermissionRequest: row("permission:asked", "block", "ask", "allow", "modify", "endLoop"),
  PermissionDenied: row("permission:replied"),
  Setup: row("claude-code:setup"),
  TeammateIdle: row("worker:waiting"),
  TaskCreated: row("task:created"),
  TaskCompleted: row("task:completed"),
  Elicitation: row("mcp:elicitation"),
  ElicitationResult: row("mcp:elicitation_result"),
  ConfigChange: row("claude-code:config_change"),
  WorktreeCreate: { ...row("claude-code:worktree_create"), leftAlone: "A hook makes the worktree in Claude Code's place; one that names no folder makes it fail." },
  WorktreeRemove: { ...row("claude-code:worktree_remove"), leftAlone: "A hook removes the worktree in Claude Code's place; one that does nothing leaves it behind." },
  InstructionsLoaded: row("claude-code:instructions_loaded"),
  CwdChanged: row("session:info"),
  FileChanged: row("file:edited"),
  DirectoryAdded: row("session:info"),
  MessageDisplay: row("message:complete"),
} as const satisfies { readonly [native: string]: NativeEvent };

export type ClaudeEvent = keyof typeof events;

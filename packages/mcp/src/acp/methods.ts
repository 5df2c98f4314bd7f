// What is used of ACP, by its names in the official SDK. A test compares both.

/** The methods of an agent that are read here. */
export const agentMethods = {
  session_new: "session/new",
  session_load: "session/load",
  session_prompt: "session/prompt",
  session_cancel: "session/cancel",
} as const;

/** The methods of an editor that are read here. */
export const clientMethods = {
  session_request_permission: "session/request_permission",
  session_update: "session/update",
  fs_write_text_file: "fs/write_text_file",
  terminal_create: "terminal/create",
} as const;

/** What an agent says about a tool call. */
export type ToolKind = "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other";

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

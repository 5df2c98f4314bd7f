import type { AGENT_METHODS, CLIENT_METHODS } from "@agentclientprotocol/sdk";

/** The methods of an agent that are read here. The compiler compares them with the official SDK. */
export const agentMethods = {
  session_new: "session/new",
  session_load: "session/load",
  session_prompt: "session/prompt",
  session_cancel: "session/cancel",
} as const satisfies Partial<typeof AGENT_METHODS>;

/** The methods of an editor that are read here. */
export const clientMethods = {
  session_request_permission: "session/request_permission",
  session_update: "session/update",
  fs_write_text_file: "fs/write_text_file",
  terminal_create: "terminal/create",
} as const satisfies Partial<typeof CLIENT_METHODS>;

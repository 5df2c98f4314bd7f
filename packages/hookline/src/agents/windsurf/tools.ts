import type { ToolTable } from "../shared/tool-table.js";

/** Windsurf names no tools: an action is what its events are about. The shell comes first. */
export const tools: ToolTable = {
  run_command: { name: "Bash", command: "command_line" },
  read_code: { name: "Read", path: "file_path" },
  write_code: { name: "Edit", path: "file_path" },
};

/** The action of calls of MCP servers. */
export const MCP = "mcp_tool_use";

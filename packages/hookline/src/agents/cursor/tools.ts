import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** The tools that Cursor's documentation names, and those for edits that reports of its users name; the shell first. Tools of MCP servers are `MCP:<tool>`. */
export const tools: ToolTable = {
  Shell: { name: "Bash" },
  Read: { name: "Read", path: "file_path" },
  Write: { name: "Write", path: "file_path" },
  StrReplace: { name: "Edit", path: "file_path" },
  ...sameNamed("ApplyPatch", "Delete", "Grep", "Task"),
};

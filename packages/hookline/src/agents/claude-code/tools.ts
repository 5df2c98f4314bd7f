import type { ToolTable } from "./tool-table.js";

/** Claude Code's tools that others call otherwise, or whose path is not in `path`. */
export const tools: ToolTable = {
  Monitor: { name: "Bash" },
  PowerShell: { name: "Bash" },
  Read: { name: "Read", path: "file_path" },
  Write: { name: "Write", path: "file_path" },
  Edit: { name: "Edit", path: "file_path" },
  MultiEdit: { name: "MultiEdit", path: "file_path" },
  NotebookEdit: { name: "NotebookEdit", path: "notebook_path" },
};

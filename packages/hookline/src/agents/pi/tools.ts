import type { ToolTable } from "../shared/tool-table.js";

/** Every tool of pi 0.74.2 by its own name, the shell first. Its paths are already in `path`. */
export const tools: ToolTable = {
  bash: { name: "Bash" },
  read: { name: "Read" },
  write: { name: "Write" },
  edit: { name: "Edit" },
  ls: { name: "LS" },
  find: { name: "Glob" },
  grep: { name: "Grep" },
};

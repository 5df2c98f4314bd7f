import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** Every tool of OpenCode 1.18.33 by its own name, the shell first, and `list` of older versions. */
export const tools: ToolTable = {
  bash: { name: "Bash" },
  read: { name: "Read", path: "filePath" },
  write: { name: "Write", path: "filePath" },
  edit: { name: "Edit", path: "filePath" },
  list: { name: "LS" },
  glob: { name: "Glob" },
  grep: { name: "Grep" },
  task: { name: "Task" },
  skill: { name: "Skill" },
  todowrite: { name: "TodoWrite" },
  webfetch: { name: "WebFetch" },
  question: { name: "AskUserQuestion" },
  ...sameNamed("invalid"),
};

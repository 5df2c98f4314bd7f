import type { ToolTable } from "../claude-code/tool-table.js";

/** Copilot CLI's tools that others call otherwise. Its paths are in `path` already. */
export const tools: ToolTable = {
  bash: { name: "Bash" },
  powershell: { name: "Bash" },
  view: { name: "Read" },
  create: { name: "Write" },
  edit: { name: "Edit" },
  glob: { name: "Glob" },
  grep: { name: "Grep" },
  task: { name: "Task" },
  skill: { name: "Skill" },
  web_fetch: { name: "WebFetch" },
  web_search: { name: "WebSearch" },
  update_todo: { name: "TodoWrite" },
  ask_user: { name: "AskUserQuestion" },
};

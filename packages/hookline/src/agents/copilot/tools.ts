import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** Every tool of Copilot CLI 1.0.102 by the name that its hooks receive, the shell first. Its paths are already in `path`. */
export const tools: ToolTable = {
  bash: { name: "Bash" },
  powershell: { name: "Bash" },
  view: { name: "Read" },
  create: { name: "Write" },
  edit: { name: "Edit" },
  apply_patch: { name: "Edit" },
  glob: { name: "Glob" },
  grep: { name: "Grep" },
  rg: { name: "Grep" },
  task: { name: "Task" },
  skill: { name: "Skill" },
  web_fetch: { name: "WebFetch" },
  web_search: { name: "WebSearch" },
  update_todo: { name: "TodoWrite" },
  ask_user: { name: "AskUserQuestion" },
  ...sameNamed("read_bash", "write_bash", "stop_bash", "list_bash", "read_powershell", "write_powershell", "stop_powershell"),
  ...sameNamed("list_powershell", "read_agent", "write_agent", "list_agents", "sql", "session_store_sql", "lsp", "task_complete"),
  ...sameNamed("fetch_copilot_cli_documentation"),
};

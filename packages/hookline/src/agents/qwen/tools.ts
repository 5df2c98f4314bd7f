import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** Every tool of Qwen Code 0.24.4 by the name that its hooks receive, the shell first. */
export const tools: ToolTable = {
  run_shell_command: { name: "Bash" },
  read_file: { name: "Read", path: "file_path" },
  write_file: { name: "Write", path: "file_path" },
  edit: { name: "Edit", path: "file_path" },
  notebook_edit: { name: "NotebookEdit", path: "notebook_path" },
  list_directory: { name: "LS" },
  glob: { name: "Glob" },
  grep_search: { name: "Grep" },
  web_fetch: { name: "WebFetch" },
  web_search: { name: "WebSearch" },
  todo_write: { name: "TodoWrite" },
  ask_user_question: { name: "AskUserQuestion" },
  skill: { name: "Skill" },
  agent: { name: "Task" },
  ...sameNamed("monitor", "get_goal", "update_goal", "list_agents", "tool_call", "tool_search", "exit_plan_mode"),
};

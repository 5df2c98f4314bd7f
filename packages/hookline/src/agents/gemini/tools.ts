import type { ToolTable } from "../claude-code/tool-table.js";

/** Gemini CLI's tools that others call otherwise, or whose path is not in `path`. */
export const tools: ToolTable = {
  run_shell_command: { name: "Bash" },
  read_file: { name: "Read", path: "file_path" },
  write_file: { name: "Write", path: "file_path" },
  replace: { name: "Edit", path: "file_path" },
  list_directory: { name: "LS", path: "dir_path" },
  glob: { name: "Glob", path: "dir_path" },
  grep_search: { name: "Grep", path: "dir_path" },
  search_file_content: { name: "Grep", path: "dir_path" },
  web_fetch: { name: "WebFetch" },
  google_web_search: { name: "WebSearch" },
  write_todos: { name: "TodoWrite" },
  ask_user: { name: "AskUserQuestion" },
  activate_skill: { name: "Skill" },
  invoke_agent: { name: "Task" },
};

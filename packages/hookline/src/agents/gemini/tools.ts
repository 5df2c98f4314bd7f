import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** Every tool of Gemini CLI 0.61.0 by the name that its hooks receive, the shell first. */
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
  ...sameNamed("read_many_files", "list_background_processes", "read_background_output", "enter_plan_mode", "exit_plan_mode"),
  ...sameNamed("complete_task", "get_internal_docs", "list_mcp_resources", "read_mcp_resource", "take_snapshot"),
  ...sameNamed("tracker_add_dependency", "tracker_create_task", "tracker_get_task", "tracker_list_tasks", "tracker_update_task"),
  ...sameNamed("tracker_visualize"),
};

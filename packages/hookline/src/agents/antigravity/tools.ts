import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** The tools that Antigravity's documentation and reports of its users name; the shell first. */
export const tools: ToolTable = {
  run_command: { name: "Bash", command: "CommandLine" },
  view_file: { name: "Read", path: "AbsolutePath" },
  write_to_file: { name: "Write", path: "TargetFile" },
  replace_file_content: { name: "Edit", path: "TargetFile" },
  multi_replace_file_content: { name: "MultiEdit", path: "TargetFile" },
  list_dir: { name: "LS", path: "DirectoryPath" },
  find_by_name: { name: "Glob", path: "SearchDirectory" },
  grep_search: { name: "Grep", path: "SearchPath" },
  search_web: { name: "WebSearch" },
  read_url_content: { name: "WebFetch" },
  ...sameNamed("send_command_input", "command_status", "view_code_item", "codebase_search", "browser_subagent", "ask_permission"),
};

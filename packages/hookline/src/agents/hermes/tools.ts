import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** The tools that Hermes' documentation names, the shell first. Tools of MCP servers are `mcp_<server>_<tool>`. */
export const tools: ToolTable = {
  terminal: { name: "Bash" },
  read_file: { name: "Read" },
  write_file: { name: "Write" },
  patch: { name: "Edit" },
  search_files: { name: "Grep" },
  web_search: { name: "WebSearch" },
  web_extract: { name: "WebFetch" },
  delegate_task: { name: "Task" },
  todo: { name: "TodoWrite" },
  skill_view: { name: "Skill" },
  ...sameNamed("execute_code", "process", "browser_navigate", "memory", "session_search", "skill_manage", "clarify", "cronjob"),
};

import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** The tools that Kiro's documentation names, with their other names; the shell first. Tools of MCP servers are `@<server>/<tool>`. */
export const tools: ToolTable = {
  execute_bash: { name: "Bash" },
  shell: { name: "Bash" },
  fs_read: { name: "Read" },
  read: { name: "Read" },
  fs_write: { name: "Write" },
  write: { name: "Write" },
  str_replace: { name: "Edit" },
  glob: { name: "Glob" },
  grep: { name: "Grep" },
  web_search: { name: "WebSearch" },
  web_fetch: { name: "WebFetch" },
  use_subagent: { name: "Task" },
  ...sameNamed("use_aws", "code", "introspect", "knowledge", "thinking", "todo_list", "report_issue"),
};

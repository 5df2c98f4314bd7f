import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/**
 * Every tool of Codex 0.166.0 by the name that its hooks receive, the shell first. All its shells arrive as `Bash`; the other names are for older
 * versions.
 */
export const tools: ToolTable = {
  Bash: { name: "Bash" },
  exec_command: { name: "Bash" },
  shell: { name: "Bash" },
  shell_command: { name: "Bash" },
  local_shell: { name: "Bash" },
  apply_patch: { name: "Edit" },
  view_image: { name: "Read" },
  spawn_agent: { name: "Task" },
  request_user_input: { name: "AskUserQuestion" },
  ...sameNamed("multi_agent_v1close_agent", "multi_agent_v1resume_agent", "multi_agent_v1send_input", "multi_agent_v1wait_agent"),
  ...sameNamed("list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"),
  ...sameNamed("create_goal", "get_goal", "update_goal", "update_plan"),
};

/** Tools of which Codex reads one input field: it silently drops any other change in a rewrite. */
export const COMMAND_TOOLS: readonly string[] = ["Bash", "apply_patch", "exec_command", "shell", "shell_command", "local_shell"];

import type { ToolTable } from "../claude-code/tool-table.js";

/** Codex's tools that others call otherwise. Its shells all come as `Bash`. */
export const tools: ToolTable = {
  exec_command: { name: "Bash" },
  shell: { name: "Bash" },
  shell_command: { name: "Bash" },
  local_shell: { name: "Bash" },
  apply_patch: { name: "Edit" },
  view_image: { name: "Read" },
};

/** Whose input Codex reads one field of: anything else in a rewrite is dropped without a word. */
export const COMMAND_TOOLS: readonly string[] = ["Bash", "apply_patch", "exec_command", "shell", "shell_command", "local_shell"];

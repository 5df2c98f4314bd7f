import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** Every tool of Cline 3.0.65 by the name that its hooks receive, the shell first. */
export const tools: ToolTable = {
  run_commands: { name: "Bash", commands: "commands" },
  read_files: { name: "Read" },
  editor: { name: "Edit" },
  search_codebase: { name: "Grep" },
  fetch_web_content: { name: "WebFetch" },
  ask_question: { name: "AskUserQuestion" },
  spawn_agent: { name: "Task" },
  ...sameNamed("team_spawn_teammate", "team_shutdown_teammate", "team_status", "team_task", "team_run_task", "team_cancel_run"),
  ...sameNamed("team_list_runs", "team_await_runs", "team_send_message", "team_broadcast", "team_read_mailbox", "team_mission_log"),
  ...sameNamed("team_cleanup", "team_create_outcome", "team_attach_outcome_fragment", "team_review_outcome_fragment"),
  ...sameNamed("team_finalize_outcome", "team_list_outcomes"),
};

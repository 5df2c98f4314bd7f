import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/**
 * Every tool of Claude Code 2.1.325 by the name that its hooks receive, the shell first. The list has the tools offered to its model, and those
 * that its package has for other systems and settings. A model's call of `Task` arrives as `Agent`.
 */
export const tools: ToolTable = {
  Bash: { name: "Bash" },
  Monitor: { name: "Bash" },
  PowerShell: { name: "Bash" },
  Read: { name: "Read", path: "file_path" },
  Write: { name: "Write", path: "file_path" },
  Edit: { name: "Edit", path: "file_path" },
  MultiEdit: { name: "MultiEdit", path: "file_path" },
  NotebookEdit: { name: "NotebookEdit", path: "notebook_path" },
  Agent: { name: "Task" },
  ...sameNamed("AskUserQuestion", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree"),
  ...sameNamed("Glob", "Grep", "LS", "LSP", "ListAgents", "ListMcpResourcesTool", "NotebookRead", "ReadMcpResourceTool"),
  ...sameNamed("ReadMcpResourceDirTool", "ReportFindings", "RemoteTrigger", "ScheduleWakeup", "SendMessage", "SendUserMessage", "Skill"),
  ...sameNamed("TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch", "WebFetch"),
  ...sameNamed("WebSearch", "Workflow", "Artifact", "PushNotification", "SendFeedback", "BashOutput", "KillShell"),
};

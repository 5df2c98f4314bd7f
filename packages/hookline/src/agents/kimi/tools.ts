import { sameNamed, type ToolTable } from "../shared/tool-table.js";

/** Every tool of Kimi Code 2.1.0 by the name that its hooks receive, the shell first. */
export const tools: ToolTable = {
  Bash: { name: "Bash" },
  Agent: { name: "Task" },
  TodoList: { name: "TodoWrite" },
  FetchURL: { name: "WebFetch" },
  SearchWeb: { name: "WebSearch" },
  ...sameNamed("Read", "Write", "Edit", "Glob", "Grep", "Skill", "AskUserQuestion"),
  ...sameNamed("AgentSwarm", "CreateGoal", "GetGoal", "SetGoalBudget", "UpdateGoal", "CronCreate", "CronDelete", "CronList"),
  ...sameNamed("EnterPlanMode", "ExitPlanMode", "TaskList", "TaskOutput", "TaskStop", "WaitFor", "ReadMediaFile"),
};

import type { AgentDefinition } from "../shared/definition.js";
import { refusal } from "../shared/hook-reply.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { outputShapes } from "./tool-output.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const claudeCode: AgentDefinition = {
  id: "claude-code",
  title: "Claude Code",
  program: { commands: ["claude"], package: "@anthropic-ai/claude-code", tried: "2.1.325" },
  install,
  planRun: async (request) => (await import("./run.js")).planRun(request),
  settingsChange: { native: "ConfigChange", refuse: (reason) => refusal(reason, { decision: "block", reason }) },
  outputFields: ["tool_response"],
  outputShapes,
  events,
  tools,
  samples,
  translate,
  reply,
};

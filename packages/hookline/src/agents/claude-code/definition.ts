import type { AgentDialect } from "../shared/definition.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { fixedOutputs } from "./tool-output.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const claudeCode: AgentDialect = {
  id: "claude-code",
  title: "Claude Code",
  canPost: true,
  fixedOutputs,
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  translate,
  reply,
};

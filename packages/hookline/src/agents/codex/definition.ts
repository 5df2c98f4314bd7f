import type { AgentDialect } from "../shared/definition.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const codex: AgentDialect = {
  id: "codex",
  title: "Codex",
  outputFields: ["tool_response"],
  events,
  untold: { "tool:after": "does not tell of calls of MCP servers that failed" },
  tools,
  samples,
  translate,
  reply,
};

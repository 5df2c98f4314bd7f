import type { AgentDefinition } from "../shared/definition.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const codex: AgentDefinition = {
  id: "codex",
  title: "Codex",
  program: { commands: ["codex"], package: "@openai/codex", tried: "0.166.0" },
  install,
  planRun: async (request) => (await import("./run.js")).planRun(request),
  outputFields: ["tool_response"],
  unreported: { "tool:after": "does not report failed calls of MCP servers" },
  events,
  tools,
  samples,
  translate,
  reply,
};

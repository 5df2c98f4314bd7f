import type { AgentDialect } from "../shared/definition.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const gemini: AgentDialect = {
  id: "gemini",
  title: "Gemini CLI",
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  translate,
  reply,
};

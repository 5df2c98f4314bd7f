import type { AgentDialect } from "../shared/definition.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { eventNamed, outputFields } from "./spelling.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const copilot: AgentDialect = {
  id: "copilot",
  title: "Copilot CLI",
  outputFields,
  events,
  nameOf: eventNamed,
  tools,
  samples,
  translate,
  reply,
};

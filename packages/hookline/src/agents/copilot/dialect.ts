import type { AgentDialect } from "../agent.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { eventNamed } from "./spelling.js";
import { translate } from "./translate.js";

export const copilot: AgentDialect = { id: "copilot", title: "Copilot CLI", events, nameOf: eventNamed, translate, reply };

import type { AgentDialect } from "../agent.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { translate } from "./translate.js";

export const gemini: AgentDialect = { id: "gemini", title: "Gemini CLI", events, translate, reply };

import type { AgentDialect } from "../agent.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { translate } from "./translate.js";

export const claudeCode: AgentDialect = { id: "claude-code", title: "Claude Code", canPost: true, events, translate, reply };

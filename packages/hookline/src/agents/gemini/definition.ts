import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const gemini: AgentDefinition = {
  id: "gemini",
  title: "Gemini CLI",
  program: { commands: ["gemini"], package: "@google/gemini-cli" },
  contracts,
  install,
  holes: [
    "`GOOGLE_GEMINI_BASE_URL` or a proxy variable can send its requests to another server. That server then decides what the agent tries; each call is still guarded.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  sessions,
  translate,
  reply,
};

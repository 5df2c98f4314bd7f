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
    "In a folder that it trusts, it reads `.env` from this folder, from each one above it and from home. LD_TRACE_LOADED_OBJECTS in it keeps every command from running, and tools without a command run without their hooks. Hookline names it. Other variables are closed.",
    "Hooks of the project run beside Hookline's, and one that answers later can rewrite a call that was judged. Hookline names them.",
    "If a signal ends the shell of its hook, the call runs. An agent may end processes of its own user.",
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

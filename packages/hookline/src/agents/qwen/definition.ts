import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const qwen: AgentDefinition = {
  id: "qwen",
  title: "Qwen Code",
  program: { commands: ["qwen"], package: "@qwen-code/qwen-code" },
  contracts,
  install,
  holes: [
    "Its options `--bare` and `--safe-mode` switch all hooks off for one run. On Linux, the hub notices such a process.",
    "`OPENAI_BASE_URL` or a proxy variable can send its requests to another server. That server then decides what the agent tries; each call is still guarded.",
    "If a signal ends the shell of its hook, the call runs. An agent may end processes of its own user.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  sessions,
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  translate,
  reply,
};

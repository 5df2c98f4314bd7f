import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const kimi: AgentDefinition = {
  id: "kimi",
  title: "Kimi Code",
  program: { commands: ["kimi"], package: "@moonshot-ai/kimi-code", processTitle: "kimi-code" },
  contracts,
  install,
  holes: [
    "One bad value in any hook of its `config.toml` switches all hooks off without a message. The hub raises an alarm, and `hookline attach kimi --check` and `hookline doctor` report it.",
    "Calls of its subagents look like those of the main agent. They are guarded.",
    "`base_url` of a provider in its `config.toml` or a proxy variable can send its requests to another server. That server then decides what the agent tries; each call is still guarded.",
    "If a signal ends the shell of its hook, the call runs. An agent may end processes of its own user.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  sessions,
  outputFields: ["tool_output"],
  events,
  tools,
  samples,
  translate,
  reply,
};

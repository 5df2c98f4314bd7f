import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { eventNamed, isFromCopilot, outputFields } from "./spelling.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const copilot: AgentDefinition = {
  id: "copilot",
  title: "Copilot CLI",
  program: {
    commands: ["copilot"],
    package: "@github/copilot",
    nativePackages: ["linux-x64", "linux-arm64", "linuxmusl-x64", "linuxmusl-arm64"].map((platform) => `@github/copilot-${platform}`),
  },
  contracts,
  install,
  holes: [
    "`COPILOT_PROVIDER_BASE_URL` or a proxy variable can send its requests to another server. That server then decides what the agent tries; each call is still guarded.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  outputFields,
  events,
  nameOf: eventNamed,
  tools,
  samples,
  sessions,
  runsHooksOf: { agent: "claude-code", isSender: isFromCopilot },
  translate,
  reply,
};

import type { AgentDefinition } from "../shared/definition.js";
import { pluginReply } from "../shared/plugin-reply.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const openCode: AgentDefinition = {
  id: "opencode",
  title: "OpenCode",
  program: {
    commands: ["opencode"],
    package: "opencode-ai",
    nativePackages: ["opencode-linux-x64", "opencode-linux-x64-baseline", "opencode-linux-arm64", "opencode-linux-x64-musl"],
  },
  contracts,
  install,
  holes: [
    "It leaves out a plugin that it cannot load, and says nothing. With `--strict`, `enabled_providers` in its settings then leaves it without a model. A project whose own settings have `enabled_providers` undoes that.",
    "Other plugins run in the same process, and can change what Hookline's plugin does.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  sessions,
  translate,
  reply: pluginReply({ events, tools }),
};

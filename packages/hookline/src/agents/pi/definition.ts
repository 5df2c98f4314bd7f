import type { AgentDefinition } from "../shared/definition.js";
import { pluginReply } from "../shared/plugin-reply.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const pi: AgentDefinition = {
  id: "pi",
  title: "pi",
  program: { commands: ["pi"], package: "@earendil-works/pi-coding-agent", processTitle: "pi" },
  contracts,
  install,
  holes: [
    "`--no-extensions`, and a list `extensions` in its settings that leaves Hookline's out, start it without the guard. The hub raises an alarm for both. pi overwrites its command line when it has started: the hub sees the option before that, and otherwise notices after some seconds that the process does not ask.",
    "Other extensions run in the same process, and can change what Hookline's extension does.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  sessions,
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  translate,
  reply: pluginReply({ events, tools }),
};

import type { AgentDefinition } from "../shared/definition.js";
import { pluginReply } from "../shared/plugin-reply.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const pi: AgentDefinition = {
  id: "pi",
  title: "pi",
  program: { commands: ["pi"], package: "@earendil-works/pi-coding-agent" },
  contracts,
  install,
  holes: [
    "`--no-extensions`, and an extension list in its settings that leaves Hookline's out, start it without the guard. The hub raises an alarm for the option.",
    "Other extensions run in the same process, and can change what Hookline's extension does.",
  ],
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  translate,
  reply: pluginReply({ events, tools }),
};

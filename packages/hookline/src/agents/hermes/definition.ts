import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const hermes: AgentDefinition = {
  id: "hermes",
  title: "Hermes",
  program: { commands: ["hermes"] },
  contracts,
  install,
  holes: [
    "It runs a hook only after you have approved it: at a terminal when it starts next, or with `--accept-hooks`. Without a terminal, hooks that were not approved are left out without a message. `hookline attach hermes --check` and `hookline doctor` report them.",
    "`HERMES_SAFE_MODE=1` switches all hooks off for one run. On Linux, the hub notices such a process.",
    "Other plugins run in the same process, and can change a call after the guards have seen it.",
  ],
  outputFields: ["extra"],
  events,
  tools,
  samples,
  translate,
  reply,
};

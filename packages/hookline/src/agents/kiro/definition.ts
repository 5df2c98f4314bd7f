import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const kiro: AgentDefinition = {
  id: "kiro",
  title: "Kiro",
  program: { commands: ["kiro-cli", "kiro"] },
  contracts,
  install,
  holes: [
    "Versions before 3 of its command line, and before 1 of the editor, do not read the file that Hookline writes: their hooks are part of each agent's configuration.",
    "Its documentation does not say what happens to a call whose hook takes too long, so such a call may run.",
  ],
  outputFields: ["tool_response"],
  events,
  tools,
  samples,
  translate,
  reply,
};

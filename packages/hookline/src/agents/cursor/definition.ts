import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const cursor: AgentDefinition = {
  id: "cursor",
  title: "Cursor",
  program: { commands: ["cursor-agent", "cursor"] },
  contracts,
  install,
  holes: [
    'A call that no rule decides is answered with `permission: "allow"`, because Cursor may deny a call whose hook prints nothing. Its documentation does not say whether this skips Cursor\'s own question to the user.',
    "Its documentation does not say whether calls in a cloud agent run the hooks of your home folder: they run elsewhere, without this hub.",
  ],
  outputFields: ["tool_output"],
  events,
  tools,
  samples,
  translate,
  reply,
};

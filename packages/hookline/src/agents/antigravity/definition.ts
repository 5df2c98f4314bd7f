import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const antigravity: AgentDefinition = {
  id: "antigravity",
  title: "Antigravity CLI",
  program: { commands: ["agy"] },
  contracts,
  install,
  holes: [
    'A call that no rule decides is answered with `{"decision": "allow"}`, because Antigravity CLI may deny a call whose hook prints nothing. Its documentation does not say whether this skips its own question to the user.',
    "Its documentation does not say what happens to a call whose hook fails, so a hook that fails may let the call run.",
    "It reports no prompts, and a project's hooks.json can add hooks of its own.",
  ],
  outputFields: ["toolResult"],
  unreported: { "prompt:submit": "does not report prompts" },
  events,
  tools,
  samples,
  translate,
  reply,
};

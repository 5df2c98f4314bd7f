import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const windsurf: AgentDefinition = {
  id: "windsurf",
  title: "Windsurf",
  program: { commands: ["windsurf"] },
  contracts,
  install,
  holes: [
    "Its documentation names no hook for tools that neither run a command, nor read or write a file, nor belong to an MCP server: such calls are not asked about.",
    "By its documentation, only exit code 2 denies: a hook that fails in another way lets the call run.",
    "Its documentation does not say how long it waits for a hook. A question to a person ends after a few seconds.",
  ],
  outputFields: ["tool_info"],
  events,
  tools,
  samples,
  translate,
  reply,
};

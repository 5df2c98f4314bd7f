import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const cline: AgentDefinition = {
  id: "cline",
  title: "Cline",
  program: {
    commands: ["cline"],
    package: "cline",
    nativePackages: ["x64", "arm64"].map((platform) => `@cline/cli-linux-${platform}`),
  },
  contracts,
  install,
  holes: [
    "It ignores exit codes and everything that is not JSON: a hook that fails lets the call run. A denied call ends the whole run.",
    "A missing file means that there is no hook. The hub raises an alarm when one of Hookline's files is removed.",
    "A proxy variable or its provider settings can send its requests to another server. That server then decides what the agent tries; each call is still guarded.",
  ],
  sessions,
  outputFields: ["tool_result", "postToolUse"],
  events,
  tools,
  samples,
  translate,
  reply,
};

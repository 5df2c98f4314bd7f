import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const goose: AgentDefinition = {
  id: "goose",
  title: "Goose",
  program: {
    commands: ["goose"],
    package: "@aaif/goose",
    nativePackages: ["x64", "arm64"].map((platform) => `@aaif/goose-binary-linux-${platform}`),
    hasOwnVersions: true,
  },
  contracts,
  install,
  holes: [
    "Version 1.34 runs every call, whatever its hooks say: Hookline can only record it.",
    "`OPENAI_HOST` or a proxy variable can send its requests to another server. That server then decides what the agent tries.",
  ],
  sessions,
  outputFields: [],
  unreported: { "tool:after": "does not report the output of calls" },
  events,
  tools,
  samples,
  translate,
  reply,
};

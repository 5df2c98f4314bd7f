import type { AgentDefinition } from "../shared/definition.js";
import { refusal } from "../shared/hook-reply.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { loads } from "./loaded-commands.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { outputShapes } from "./tool-output.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const claudeCode: AgentDefinition = {
  id: "claude-code",
  title: "Claude Code",
  program: {
    commands: ["claude"],
    package: "@anthropic-ai/claude-code",
    nativePackages: ["x64", "arm64", "x64-musl", "arm64-musl"].map((platform) => `@anthropic-ai/claude-code-linux-${platform}`),
  },
  contracts,
  install,
  holes: [
    "A skill or slash command that contains !`…` runs that command when it is loaded, and no hook is asked. When the model loads one (`Skill`), the hub asks a person, also if it does not find the file (Claude Code's own skills have none) or cannot check all of it; at the start of a session it tells which of them the project has; one that you type yourself is not asked about.",
    "`ANTHROPIC_BASE_URL`, a proxy variable, or `env` in its settings can send its requests to another server. That server then decides what the agent tries; each call is still guarded.",
    'Variables under "env" of any settings that it reads, also of a cloned repository, can swallow its hooks: CLAUDE_CODE_SHELL_PREFIX, and those that every program obeys, such as LD_PRELOAD. Hookline names them, and denies the calls of a strict agent that still reach the hub. Managed settings close all but LD_TRACE_LOADED_OBJECTS, with which no command runs, and tools without a command do.',
    "Hooks of the project run beside Hookline's, and one that answers later can rewrite a call that was judged. Hookline names them. With managed settings they do not run.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  loads,
  settingsChange: { native: "ConfigChange", refuse: (reason) => refusal(reason, { decision: "block", reason }) },
  outputFields: ["tool_response"],
  outputShapes,
  events,
  tools,
  samples,
  sessions,
  translate,
  reply,
};

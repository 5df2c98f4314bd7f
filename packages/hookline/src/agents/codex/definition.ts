import type { AgentDefinition } from "../shared/definition.js";
import { contracts } from "./contract.js";
import { events } from "./events.js";
import { install } from "./install.js";
import { reply } from "./reply.js";
import { samples } from "./samples.js";
import { sessions } from "./sessions.js";
import { tools } from "./tools.js";
import { translate } from "./translate.js";

export const codex: AgentDefinition = {
  id: "codex",
  title: "Codex",
  program: { commands: ["codex"], package: "@openai/codex" },
  contracts,
  install,
  holes: [
    "`write_stdin` sends input to a shell that already runs, and is not a hooked call. Guard the command that starts the shell.",
    "It starts hooks in the login shell of its user. Bash reads the file in `BASH_ENV` first, and zsh those in `ZDOTDIR`: such a file can end the shell before the hook runs, and the call continues. The login shell /bin/sh reads none.",
    "`OPENAI_BASE_URL`, a proxy variable, or `model_providers` in its `config.toml` can send its requests to another server. That server then decides what the agent tries; each call is still guarded.",
    "It puts the variables of `~/.codex/.env` into its own environment, and its hooks obey those such as LD_PRELOAD. With managed hooks this was not tried. Hookline names them, and denies the calls of a strict agent that still reach the hub. A project has no such file.",
    "If a signal ends the shell of its hook, the call runs. An agent may end processes of its own user.",
  ],
  planRun: async (request) => (await import("./run.js")).planRun(request),
  outputFields: ["tool_response"],
  unreported: { "tool:after": "does not report failed calls of MCP servers" },
  events,
  tools,
  samples,
  sessions,
  translate,
  reply,
};

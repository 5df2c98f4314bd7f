import { homedir } from "node:os";
import { join } from "node:path";
import { SCRIPT } from "../install/script-file.js";
import type { AgentInstall, Environment, InstallTarget } from "../shared/definition.js";
import { hooks } from "./plugin.js";

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: { script: true }, entries: ({ plugin = "" }) => ({ [SCRIPT]: [plugin] }), own: {} },
  managed: { refused: "it has no extensions that its user cannot remove" },
  // It runs no command: the extension is in its process.
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  plugin: { hooks, exported: "export default plugin;", probe: ["--list-models"] },
  optionsOff: ({ args, path }) => {
    const isOff = args.some((word) => word === "--no-extensions" || word === "-ne");
    return isOff && !args.includes(path) ? "--no-extensions leaves out every extension." : undefined;
  },
};

function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  const folder = target === "project" ? join(cwd, ".pi") : env.PI_CODING_AGENT_DIR || join(env.HOME || homedir(), ".pi", "agent");
  return join(folder, "extensions", "hookline.ts");
}

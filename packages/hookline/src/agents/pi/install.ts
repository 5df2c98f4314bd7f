import { homedir } from "node:os";
import { join } from "node:path";
import { SCRIPT } from "../install/script-file.js";
import type { AgentInstall, Environment, InstallTarget } from "../shared/definition.js";
import { readSettingsText } from "../shared/settings-files.js";
import { extensionList } from "./extension-list.js";
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
  offSwitches: ({ path }) => [extensionList(path)],
  faults({ path }) {
    const list = extensionList(path);
    const { text, fault } = readSettingsText(list.path);
    if (fault !== undefined) return [fault];
    return list.isOff(text) ? [`"extensions" in ${list.path} leaves out Hookline's extension, so pi does not load it.`] : [];
  },
  optionsOff: ({ args, path }) => {
    const isOff = args.some((word) => word === "--no-extensions" || word === "-ne");
    return isOff && !args.includes(path) ? "--no-extensions leaves out every extension." : undefined;
  },
};

function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  const folder = target === "project" ? join(cwd, ".pi") : env.PI_CODING_AGENT_DIR || join(env.HOME || homedir(), ".pi", "agent");
  return join(folder, "extensions", "hookline.ts");
}

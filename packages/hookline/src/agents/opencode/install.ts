import { homedir } from "node:os";
import { join } from "node:path";
import { SCRIPT } from "../install/script-file.js";
import type { AgentInstall, Environment, InstallTarget } from "../shared/definition.js";
import { readSettingsText } from "../shared/settings-files.js";
import { hooks } from "./plugin.js";
import { providerLock } from "./provider-lock.js";

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: { script: true }, entries: ({ plugin = "" }) => ({ [SCRIPT]: [plugin] }), own: {} },
  managed: { refused: "its plugins of the user and of a project run in the same process, so the user can switch ours off" },
  // It runs no command: the plugin is in its process.
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  plugin: { hooks, exported: "export const Hookline = plugin;", probe: ["agent", "list"] },
  lock: providerLock,
  offSwitches: ({ path }) =>
    isStrict(path)
      ? [
          {
            path: providerLock.path(path),
            says: 'would run every tool without Hookline\'s plugin, because "enabled_providers" is not locked',
            isOff: (text) => !providerLock.isLocked(text),
            turnedOn: (text) => providerLock.locked(text),
          },
        ]
      : [],
  optionsOff: ({ args, env }) => whyPure(args, env),
};

export function whyPure(args: readonly string[], env: Environment): string | undefined {
  const found = args.includes("--pure") ? "--pure" : env.OPENCODE_PURE ? "OPENCODE_PURE" : undefined;
  return found === undefined ? undefined : `${found} leaves out every plugin.`;
}

function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  const folder =
    target === "project" ? join(cwd, ".opencode") : join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "opencode");
  return join(folder, "plugins", "hookline.js");
}

function isStrict(path: string): boolean {
  return readSettingsText(path).text.includes("/opencode-strict.");
}

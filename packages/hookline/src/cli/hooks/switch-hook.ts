import { inertText } from "@hookline/core/internal/text";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { switchInstalled } from "../../extensions/installed/switch-installed.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import type { Terminal } from "../terminal.js";
import { findKnownHooks } from "./find-hooks.js";
import type { HooksOptions } from "./options.js";
import { pickHook } from "./pick-hook.js";

/** `hookline hooks enable|disable <name>`: writes `enabled` where one of the user's own hooks stands. */
export async function switchHook(
  terminal: Terminal,
  { project }: HooksOptions,
  [name]: readonly string[],
  isEnabled: boolean,
): Promise<number> {
  const word = isEnabled ? "enable" : "disable";
  const hooks = await findKnownHooks(terminal.env, project);
  if (name !== undefined && hooks.every((hook) => hook.name !== name)) await refuseRule(terminal.env, name, word);
  const hook = pickHook(hooks, name, word);
  const file = switchInstalled(hook, isEnabled);
  terminal.say(`${inertText(hook.name)} is ${word}d, in ${inertText(file)}. A hub that runs takes it up within a second.`);
  return EXIT.ok;
}

/** Rules are switched in the same way, by a command of their own. */
async function refuseRule(env: NodeJS.ProcessEnv, name: string, word: string): Promise<void> {
  const { config } = await loadConfig(configPath(env));
  if (config?.rules.some((rule) => rule.name === name) !== true) return;
  throw new CliError(`"${name}" is no hook, but a rule.`, { fix: { run: `hookline rules ${word} '${name}'` } });
}

import { inertText } from "@hookline/core/internal/text";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { switchInstalled } from "../../extensions/installed/switch-installed.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import { acceptOwn } from "../policy/accept-own.js";
import type { Terminal } from "../terminal.js";
import { findKnownHooks, type ProjectOption, pickHook, projectOf, projectOption } from "./find-hooks.js";

export const enable = switchingCommand(true);
export const disable = switchingCommand(false);

function switchingCommand(isEnabled: boolean): CommandModule<ProjectOption> {
  return {
    define(command) {
      command
        .argument("[hook]", "one of your own hooks; hookline hooks list shows them", text)
        .option(...projectOption)
        .addHelpText("after", "\nWrites `enabled` into the hook's manifest or table. A running hub applies this within a second.")
        .addHelpText("after", examples(`hookline hooks ${isEnabled ? "enable" : "disable"} push-guard`));
    },
    run: (terminal, where, [name]) => switchHook(terminal, projectOf(where), { name, isEnabled }),
  };
}

async function switchHook(
  terminal: Terminal,
  project: string,
  { name, isEnabled }: { readonly name: string | undefined; readonly isEnabled: boolean },
): Promise<number> {
  const word = isEnabled ? "enable" : "disable";
  const hooks = await findKnownHooks(terminal.env, project);
  if (name !== undefined && hooks.every((hook) => hook.name !== name)) await refuseRule(terminal.env, name, word);
  const hook = pickHook(hooks, name, word);
  const file = switchInstalled(hook, isEnabled);
  await acceptOwn(terminal, hook.name, [{ id: `hook:${hook.id}`, set: { enabled: isEnabled } }]);
  terminal.say(`${inertText(hook.name)} is ${word}d in ${inertText(file)}. A running hub applies this within a second.`);
  return EXIT.ok;
}

/** Rules have their own command for this. */
async function refuseRule(env: NodeJS.ProcessEnv, name: string, word: string): Promise<void> {
  const { config } = await loadConfig(configPath(env));
  if (config?.rules.some((rule) => rule.name === name) !== true) return;
  throw new CliError(`"${name}" is a rule, not a hook.`, { fix: { run: `hookline rules ${word} '${name}'` } });
}

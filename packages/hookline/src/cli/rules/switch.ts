import { inertText } from "@hookline/core/internal/text";
import { switchConfigEntry } from "../../extensions/installed/switch-installed.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import { acceptOwn } from "../policy/accept-own.js";
import type { Terminal } from "../terminal.js";
import { pickRule, readRules } from "./read-rules.js";

interface SwitchOptions {
  readonly config?: string;
}

export const enable = switchingCommand(true);
export const disable = switchingCommand(false);

function switchingCommand(isEnabled: boolean): CommandModule<SwitchOptions> {
  return {
    define(command) {
      command
        .argument("[rule]", "its name; hookline rules list shows them", text)
        .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
        .addHelpText("after", "\nWrites `enabled` into the rule's table. A running hub applies this within a second.")
        .addHelpText("after", examples(`hookline rules ${isEnabled ? "enable" : "disable"} git-history/discard`));
    },
    run: (terminal, options, [name]) => switchRule(terminal, options, { name, isEnabled }),
  };
}

async function switchRule(
  terminal: Terminal,
  { config }: SwitchOptions,
  { name, isEnabled }: { readonly name: string | undefined; readonly isEnabled: boolean },
): Promise<number> {
  const word = isEnabled ? "enable" : "disable";
  const rule = pickRule(await readRules(terminal, config), name, word);
  switchConfigEntry({ table: "rule", file: rule.file, line: rule.line, name: rule.name }, isEnabled);
  await acceptOwn(terminal, rule.name, [{ id: `rule:${rule.name}` }]);
  terminal.say(
    `${inertText(rule.name)} is ${word}d in ${inertText(rule.file)}. A ${config === undefined ? "running hub" : "hub that runs with this file"} applies this within a second.`,
  );
  return EXIT.ok;
}

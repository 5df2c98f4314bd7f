import { inertText, shellWord } from "@hookline/core/internal/text";
import { bundleText } from "../../bundles/bundle.js";
import { readBundleRules } from "../../bundles/bundle-content.js";
import type { RuleConfig } from "../../config/config.js";
import { setConfigEntry } from "../../extensions/installed/switch-installed.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import { acceptOwn } from "../policy/accept-own.js";
import { readFleetBundle } from "../policy/fleet-bundle.js";
import type { Terminal } from "../terminal.js";
import { pickRule, readRules } from "./read-rules.js";

interface SwitchOptions {
  readonly config?: string;
}

export const enable = switchingCommand(true);
export const disable = switchingCommand(false);

/** `hookline rules promote`. */
export const promote: CommandModule<SwitchOptions> = {
  define(command) {
    command
      .argument("[rule]", "its name; hookline rules shadow shows the rules that wait for it", text)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .addHelpText("after", '\nWrites mode = "enforce" into the table of a rule with mode = "shadow": from then on it decides.')
      .addHelpText("after", examples("hookline rules promote git-history/discard"));
  },
  async run(terminal, { config }, [name]) {
    const rule = await pickOwnRule(terminal, config, name, "promote");
    if (rule.mode !== "shadow") {
      terminal.say(`${inertText(rule.name)} already decides; nothing was changed.`);
      return EXIT.ok;
    }
    setConfigEntry({ table: "rule", file: rule.file, line: rule.line, name: rule.name }, { key: "mode", value: "enforce" });
    await acceptOwn(terminal, rule.name, [{ id: `rule:${rule.name}`, set: { mode: "enforce" } }]);
    terminal.say(`${inertText(rule.name)} decides from now on (${rule.do}). A running hub applies this within a second.`);
    if (rule.enabled === false) terminal.say(`It is switched off. To switch it on: hookline rules enable ${shellWord(rule.name)}`);
    return EXIT.ok;
  },
};

/** A rule of the user's own file. Throws for a rule of a signed bundle, which its author alone can change. */
async function pickOwnRule(terminal: Terminal, config: string | undefined, name: string | undefined, word: string): Promise<RuleConfig> {
  const read = await readRules(terminal, config);
  const bundle = read.rules.some((rule) => rule.name === name) ? undefined : await readFleetBundle(terminal);
  if (bundle !== undefined && (await readBundleRules(bundle)).some((rule) => rule.name === name))
    throw new CliError(
      `The rule "${inertText(name ?? "")}" comes with the signed bundle ${bundleText(bundle)}. You cannot ${word} it here: ${inertText(bundle.signer.name)}, who signs the bundle, can.`,
      { fix: { run: "hookline policy status" } },
    );
  return pickRule(read, name, word);
}

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
  const rule = await pickOwnRule(terminal, config, name, word);
  setConfigEntry({ table: "rule", file: rule.file, line: rule.line, name: rule.name }, { key: "enabled", value: isEnabled });
  await acceptOwn(terminal, rule.name, [{ id: `rule:${rule.name}`, set: { enabled: isEnabled } }]);
  terminal.say(
    `${inertText(rule.name)} is ${word}d in ${inertText(rule.file)}. A ${config === undefined ? "running hub" : "hub that runs with this file"} applies this within a second.`,
  );
  return EXIT.ok;
}

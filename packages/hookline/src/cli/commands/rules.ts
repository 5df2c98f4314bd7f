import { type CommandModule, examples } from "../command-module.js";
import { text } from "../option-values.js";
import { pickAction } from "../pick-action.js";
import type { Terminal } from "../terminal.js";

interface RulesOptions {
  readonly config?: string;
  readonly json?: boolean;
}
type Action = (terminal: Terminal, options: RulesOptions, name: string | undefined) => Promise<number>;

/** Each loaded when it is called. */
const actions: { readonly [name: string]: Action } = {
  list: async (terminal, options) => (await import("../rules/list.js")).listRules(terminal, options),
  add: async (terminal, options, name) => (await import("../rules/add.js")).addSet(terminal, options, name),
  test: async (terminal, options, name) => (await import("../rules/test.js")).testGiven(terminal, options, name),
  enable: async (terminal, options, name) => (await import("../rules/switch.js")).switchRule(terminal, options, { name, isEnabled: true }),
  disable: async (terminal, options, name) =>
    (await import("../rules/switch.js")).switchRule(terminal, options, { name, isEnabled: false }),
};

const help = `
Actions:
  list                     every rule, its state, and when it last fired
  add <set>                add a set of rules to your hookline.toml
  test [rule or file]      try rules on their own examples
  enable, disable <rule>   switch a rule on or off

Sets to add: destructive-shell, secrets-in-prompts, protected-paths, network-egress, git-history.
A running hub takes a changed file within a second.`;

export const command: CommandModule<RulesOptions> = {
  actions,
  define(command) {
    command
      .argument("[action]", "list (default), add, test, enable or disable", text)
      .argument("[name]", "the set, the rule or the file", text)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--json", "list, test: as JSON")
      .addHelpText("after", help)
      .addHelpText(
        "after",
        examples(
          "hookline rules add destructive-shell",
          "hookline rules list",
          "hookline rules test my-rules.toml",
          "hookline rules disable git-history/discard",
        ),
      );
  },

  async run(terminal, options, [action = "list", name]) {
    return pickAction(actions, action, "rules")(terminal, options, name);
  },
};

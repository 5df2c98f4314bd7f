import { Argument } from "commander";
import { type CommandModule, examples } from "../command-module.js";
import { text } from "../option-values.js";

interface RulesOptions {
  readonly config?: string;
  readonly json?: boolean;
}

export const command: CommandModule<RulesOptions> = {
  define(command) {
    command
      .addArgument(new Argument("<action>", "what to do").choices(["list", "add", "test"]))
      .addArgument(new Argument("[name]", "add: the set of rules; test: a file with rules").argParser(text))
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--json", "as JSON")
      .addHelpText("after", "\nSets to add: destructive-shell, secrets-in-prompts, protected-paths, network-egress, git-history.")
      .addHelpText("after", "A running hub takes a changed file within a second.")
      .addHelpText("after", examples("hookline rules add destructive-shell", "hookline rules list", "hookline rules test my-rules.toml"));
  },

  async run(terminal, options, [action = "list", name]) {
    if (action === "add") return (await import("../rules/add.js")).addSet(terminal, options, name);
    if (action === "test") return (await import("../rules/test.js")).testFile(terminal, options, name);
    return (await import("../rules/list.js")).listRules(terminal, options);
  },
};

import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { scripts } from "../completions/scripts.js";
import { EXIT } from "../exit-codes.js";

export const command: CommandModule = {
  define(command) {
    command
      .argument("[shell...]", Object.keys(scripts).join(", "))
      .addHelpText(
        "after",
        `\nThe scripts know commands and options, and from the hub the ids of sessions and approvals and the names of rules and hooks.\n${examples(
          'eval "$(hookline completions bash)"',
          "hookline completions fish > ~/.config/fish/completions/hookline.fish",
        )}`,
      );
  },
  async run({ print }, _options, args) {
    const script = scripts[args[0] ?? ""];
    if (script === undefined || args.length !== 1)
      throw new CliError(`Name a shell: ${Object.keys(scripts).join(", ")}.`, {
        exitCode: EXIT.usage,
        fix: { run: "hookline completions bash" },
      });
    print(script.trimEnd());
    return EXIT.ok;
  },
};

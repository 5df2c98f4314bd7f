import { inertText } from "@hookline/core/internal/text";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { candidatesFor } from "../completions/candidates.js";
import { scripts } from "../completions/scripts.js";
import { EXIT } from "../exit-codes.js";

export const command: CommandModule<{ readonly words?: boolean }> = {
  define(command) {
    command
      .argument("[shell...]", Object.keys(scripts).join(", "))
      .option("--words", "print what can follow these words, one line each; the scripts use it")
      .addHelpText(
        "after",
        `\nThe scripts know commands and options, and from the hub the ids of sessions and approvals and the names of rules and hooks.${examples(
          'eval "$(hookline completions bash)"',
          "hookline completions fish > ~/.config/fish/completions/hookline.fish",
        )}`,
      );
  },
  async run({ print, env }, { words = false }, args) {
    if (words) {
      for (const { word, about } of await candidatesFor(args, env)) print(`${inertText(word)}\t${inertText(about)}`);
      return EXIT.ok;
    }
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

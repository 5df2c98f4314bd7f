import { inertText, shellWord } from "@hookline/core/internal/text";
import { replaceConfigFile } from "../../config/edit-config.js";
import { type CommandModule, examples } from "../command-module.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { firstConfig } from "../init/first-config.js";
import { text } from "../option-values.js";

export const command: CommandModule<{ readonly config?: string }> = {
  define(command) {
    command
      .option("--config <file>", "where to write it (default: in the config folder)", text)
      .addHelpText("after", "\nA file that is there already is left as it is.")
      .addHelpText("after", examples("hookline init", "hookline init --config ./hookline.toml"));
  },

  async run(terminal, { config }) {
    const { path, text: present } = openConfigFile(config, terminal.env);
    if (present === undefined) replaceConfigFile(path, firstConfig());
    terminal.print(inertText(path));
    terminal.say(present === undefined ? "Written. Everything in it is commented out." : "It is there already; nothing was changed.");
    terminal.say(`Next: hookline rules add destructive-shell${config === undefined ? "" : ` --config ${shellWord(config)}`}`);
    return EXIT.ok;
  },
};

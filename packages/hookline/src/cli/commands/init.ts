import { inertText, shellWord } from "@hookline/core/internal/text";
import { replaceConfigFile } from "../../config/edit-config.js";
import { type CommandModule, examples } from "../command-module.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";

export const command: CommandModule<{ readonly config?: string }> = {
  define(command) {
    command
      .option("--config <file>", "where to write it (default: in the config folder)", text)
      .addHelpText("after", "\nAn existing file is left unchanged.")
      .addHelpText("after", examples("hookline init", "hookline init --config ./hookline.toml"));
  },

  async run(terminal, { config }) {
    const { path, text: present } = openConfigFile(config, terminal.env);
    if (present === undefined) replaceConfigFile(path, firstConfig());
    terminal.print(inertText(path));
    terminal.say(present === undefined ? "Created. Everything in it is commented out." : "The file already exists; nothing was changed.");
    terminal.say(`Next: hookline rules add destructive-shell${config === undefined ? "" : ` --config ${shellWord(config)}`}`);
    return EXIT.ok;
  },
};

/** What `hookline init` writes: every table, commented out, and the schema for editors. */
function firstConfig(): string {
  const schema = new URL("../../../schema/hookline.json", import.meta.url).href;
  return `#:schema ${schema}
# The configuration of Hookline. A running hub applies changes within a second; [hub] and [prices] apply at its next start.
# Hookline runs what this file names with your rights: do not let other users write to it.

# [hub]
# port = 4665

# [retention]
# maxAge = "30d"
# maxBytes = "2GB"

# What every sink hides, besides secrets.
# [redact]
# paths = ["tool.input.env.*"]

# Rules: what happens to events that match. For tested ones: hookline rules add destructive-shell
# [[rule]]
# name = "no-force-push"
# event = "tool:before"
# match = "tool.input.command =~ 'git push.* (-f|--force)\\\\b'"
# do = "ask"                # block, ask, allow, modify, replace, inject, remind or notify
# message = "Force push: are you sure?"

# Hooks: programs and modules of your own that answer events.
# [[hook]]
# module = "./guard.mjs"
# event = "tool:before"

# Sinks: where events go besides the store.
# [[sink]]
# type = "jsonl"
# path = "~/agents/events.jsonl"
`;
}

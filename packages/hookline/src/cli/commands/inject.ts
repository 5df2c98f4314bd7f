import { type CommandModule, examples } from "../command-module.js";
import { text } from "../option-values.js";
import { steerSession } from "../steering/steer-session.js";

export const command: CommandModule<{ readonly interrupt?: boolean }> = {
  define(command) {
    command
      .argument("<session>", "its id or the start of it; hookline sessions lists them", text)
      .argument("<text...>", "the message for the model; - reads stdin")
      .option("--interrupt", "block the session's next tool call or checkpoint, with the text as the reason")
      .addHelpText("after", "\nThe model gets the message in your name at the session's next boundary. It is recorded as session:steer.")
      .addHelpText(
        "after",
        examples(
          'hookline inject 7f3a "Look at the failing test before you go on."',
          'hookline inject 7f3a --interrupt "Stop: that is the wrong branch."',
          "hookline inject 7f3a - < review.txt",
        ),
      );
  },

  run: (terminal, { interrupt = false }, args) =>
    steerSession({ kind: "inject", args, body: (text) => ({ text, ...(interrupt && { interrupt }) }) }, terminal),
};

import { inertText } from "@hookline/core/internal/text";
import { rotateKeys } from "../agents/rotate-keys.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import type { Terminal } from "../terminal.js";

export const command: CommandGroup = {
  subcommands: [{ name: "rotate", summary: "replace every key", load: async () => ({ command: rotate }) }],
  define(command) {
    command.addHelpText("after", examples("hookline token rotate"));
  },
};

const rotate: CommandModule = {
  define(command) {
    command
      .addHelpText(
        "after",
        "\nReplaces every key: of processes, of the command line, of pages and of attached agents. Processes and agents go on by themselves; pages are signed out.",
      )
      .addHelpText("after", examples("hookline token rotate"));
  },

  run: rotateEveryKey,
};

async function rotateEveryKey(terminal: Terminal): Promise<number> {
  const { isHubUp, left } = await rotateKeys(terminal.env, "all");
  terminal.say(
    isHubUp
      ? `Every key is new, and the old ones are worth nothing. Attached agents and processes go on with the new ones${left.length === 0 ? "" : ", but for those below"}; pages are signed out (hookline open).`
      : "The keys of attached agents are new, and the old ones are worth nothing. No hub is running, so there are no others.",
  );
  for (const text of left) terminal.say(`${terminal.paintTalk("yellow", "!")} ${inertText(text)}`);
  return left.length === 0 ? EXIT.ok : EXIT.failed;
}

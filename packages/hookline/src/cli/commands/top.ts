import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";
import { runTop } from "../top/run-top.js";

export const command: CommandModule = {
  define(command) {
    command.addHelpText(
      "after",
      `\nKeys: up and down select a call that waits, a approves it, d denies it, q quits.\n${examples("hookline top", "ssh -t build-7 hookline top")}`,
    );
  },

  async run(terminal) {
    // Keys in a pipe would come from a program, and a program cannot read a screen.
    if (!terminal.stdin.isTTY || !Number.isFinite(terminal.columns))
      throw new CliError("hookline top needs a terminal for its screen and your keys. Over ssh, use: ssh -t", {
        exitCode: EXIT.usage,
        fix: "In scripts, use: hookline tail --json, hookline approvals --json",
      });
    if (terminal.env.TERM === "dumb")
      throw new CliError("This terminal cannot show a screen (TERM=dumb).", { exitCode: EXIT.usage, fix: { run: "hookline tail" } });
    return runTop(await connectHub(terminal.env), terminal);
  },
};

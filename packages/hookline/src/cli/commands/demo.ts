import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";

export const command: CommandModule<{ readonly ask?: boolean; readonly wait?: boolean; readonly fast?: boolean }> = {
  define(command) {
    command
      .option("--ask", "answer the guards' questions yourself: yes, no, or another command")
      .option("--wait", "let the guards' questions wait in the hub, for the dashboard or hookline approve")
      .option("--fast", "run without pauses")
      .addHelpText("after", "\nThe tools run nothing; they print what they would have run. The demo also works without a hub.")
      .addHelpText("after", examples("hookline demo", "hookline demo --ask", "hookline demo --fast"));
  },

  async run(terminal, { ask = false, wait = false, fast = false }) {
    if (ask && wait)
      throw new CliError("--ask and --wait exclude each other.", { exitCode: EXIT.usage, fix: { run: "hookline demo --help" } });
    const { playDemo } = await import("../demo/play.js");
    return playDemo(terminal, { isFast: fast, isAsking: ask, isWaiting: wait });
  },
};

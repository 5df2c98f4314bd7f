import { type CommandModule, examples } from "../command-module.js";

export const command: CommandModule<{ readonly ask?: boolean; readonly fast?: boolean }> = {
  define(command) {
    command
      .option("--ask", "answer the guards' questions yourself: yes, no, or another command")
      .option("--fast", "run without pauses")
      .addHelpText("after", "\nThe tools run nothing; they print what they would have run. The demo also works without a hub.")
      .addHelpText("after", examples("hookline demo", "hookline demo --ask", "hookline demo --fast"));
  },

  async run(terminal, { ask = false, fast = false }) {
    const { playDemo } = await import("../demo/play.js");
    return playDemo(terminal, { isFast: fast, isAsking: ask });
  },
};

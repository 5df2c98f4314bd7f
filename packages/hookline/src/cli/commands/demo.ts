import { type CommandModule, examples } from "../command-module.js";

export const command: CommandModule<{ readonly ask?: boolean; readonly fast?: boolean }> = {
  define(command) {
    command
      .option("--ask", "you answer what the guards ask: yes, no, or another command")
      .option("--fast", "do not pause between the steps")
      .addHelpText("after", "\nIts tools run nothing; they say what they would have run. Without a hub it works as well, unseen.")
      .addHelpText("after", examples("hookline demo", "hookline demo --ask", "hookline demo --fast"));
  },

  async run(terminal, { ask = false, fast = false }) {
    const { playDemo } = await import("../demo/play.js");
    return playDemo(terminal, { isFast: fast, isAsking: ask });
  },
};

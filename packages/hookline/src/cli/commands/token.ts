import { Argument } from "commander";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";

export const command: CommandModule = {
  define(command) {
    command
      .addArgument(new Argument("<action>", "what to do").choices(["rotate"]))
      .addHelpText("after", "\nAgents that are attached come back with the new token by themselves.")
      .addHelpText("after", examples("hookline token rotate"));
  },

  async run(terminal) {
    const hub = await connectHub(terminal.env);
    await hub.post("/api/token/rotate");
    terminal.say("Agents have a new token, and the old one is worth nothing. Those attached come back with it by themselves.");
    return EXIT.ok;
  },
};

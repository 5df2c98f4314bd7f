import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";
import { text } from "../option-values.js";
import { pickAction } from "../pick-action.js";
import type { Terminal } from "../terminal.js";

export const command: CommandModule = {
  actions: { rotate },
  define(command) {
    command
      .argument("<action>", "rotate", text)
      .addHelpText("after", "\nAgents that are attached come back with the new token by themselves.")
      .addHelpText("after", examples("hookline token rotate"));
  },

  async run(terminal, _, [action = ""]) {
    return pickAction({ rotate }, action, "token")(terminal);
  },
};

async function rotate(terminal: Terminal): Promise<number> {
  const hub = await connectHub(terminal.env);
  await hub.post("/api/token/rotate");
  terminal.say("Agents have a new token, and the old one is worth nothing. Those attached come back with it by themselves.");
  return EXIT.ok;
}

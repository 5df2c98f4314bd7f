import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectHub } from "../hub-client.js";

export const command: CommandModule = {
  define(command) {
    command
      .addHelpText("after", "\nUnused links also stop working. Agents stay attached.")
      .addHelpText("after", examples("hookline logout"));
  },

  async run(terminal) {
    const hub = await connectHub(terminal.env);
    const { pages } = await hub.post<{ readonly pages: number }>("/api/logout", JSON.stringify({ everywhere: true }));
    terminal.say(
      pages === 0
        ? "No dashboard was signed in."
        : `${countText(pages, "login")} ended. Those dashboards must sign in again: hookline open`,
    );
    return EXIT.ok;
  },
};

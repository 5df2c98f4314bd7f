import type { ResumeAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";
import { userName } from "../user-name.js";

export const command: CommandModule = {
  define(command) {
    command.addHelpText("after", examples("hookline pause --for 10m", "hookline resume"));
  },

  async run(terminal) {
    const hub = await connectHub(terminal.env);
    const { ended } = await hub.post<ResumeAnswer>("/api/resume", JSON.stringify({ by: userName() }));
    terminal.print(ended ? "The hub's guards are on again." : "The hub's guards were not paused.");
    return EXIT.ok;
  },
};

import { inertText } from "@hookline/core/internal/text";
import type { NotifyTestAnswer } from "../../hub/protocol.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";

export const command: CommandGroup = {
  subcommands: [{ name: "test", access: "operate", summary: "send a test message", load: async () => ({ command: test }) }],
  define(command) {
    command.addHelpText("after", examples("hookline notify test", "hookline notify test slack"));
  },
};

const test: CommandModule = {
  define(command) {
    command
      .argument("[name]", "the name or type of one [[notify]] table; default: all")
      .addHelpText("after", "\nThe running hub sends it, with the secrets of its own environment.")
      .addHelpText("after", examples("hookline notify test", "hookline notify test slack"));
  },

  async run(terminal, _, [name]) {
    const hub = await connectHub(terminal.env);
    terminal.say("Sending …");
    const { sent } = await hub.post<NotifyTestAnswer>("/api/notify/test", JSON.stringify(name === undefined ? {} : { name }));
    for (const { name: target, type, ok, error = "" } of sent)
      terminal.print(inertText(`${target} (${type}): ${ok ? "sent" : `not sent. ${error}`}`));
    return sent.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
  },
};

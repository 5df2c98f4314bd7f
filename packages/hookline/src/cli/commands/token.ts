import { inertText } from "@hookline/core/internal/text";
import type { MetricsTokenAnswer } from "../../hub/protocol.js";
import { rotateKeys } from "../agents/rotate-keys.js";
import { type CommandGroup, type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

export const command: CommandGroup = {
  subcommands: [
    { name: "rotate", access: "operate", summary: "replace every key", load: async () => ({ command: rotate }) },
    { name: "metrics", access: "operate", summary: "make a token that can only read /metrics", load: async () => ({ command: metrics }) },
  ],
  define(command) {
    command.addHelpText("after", examples("hookline token rotate", "hookline token metrics"));
  },
};

const rotate: CommandModule = {
  define(command) {
    command
      .addHelpText(
        "after",
        "\nReplaces the keys of processes, the command line, dashboards and attached agents. Processes and agents continue; dashboards are signed out.",
      )
      .addHelpText("after", examples("hookline token rotate"));
  },

  run: rotateEveryKey,
};

const metrics: CommandModule = {
  define(command) {
    command
      .addHelpText(
        "after",
        "\nPrints the token, which no other command shows again. It replaces the one before and works until `hookline token rotate`.",
      )
      .addHelpText("after", examples("(umask 077; hookline token metrics > ~/.config/hookline-metrics-token)"));
  },

  async run(terminal) {
    const hub = await connectHub(terminal.env);
    const { token } = await hub.post<MetricsTokenAnswer>("/api/token/metrics");
    terminal.print(token);
    terminal.say("This token can only read /metrics. The one before no longer works.");
    return EXIT.ok;
  },
};

async function rotateEveryKey(terminal: Terminal): Promise<number> {
  const { isHubUp, left } = await rotateKeys(terminal.env, "all");
  terminal.say(
    isHubUp
      ? `All keys were replaced, and the old ones no longer work. Attached agents and processes continue with the new keys${left.length === 0 ? "" : ", except those below"}; dashboards are signed out (hookline open).`
      : "The keys of attached agents were replaced, and the old ones no longer work. No hub is running, so there are no other keys.",
  );
  for (const text of left) terminal.say(`${terminal.paintTalk("yellow", "!")} ${inertText(text)}`);
  return left.length === 0 ? EXIT.ok : EXIT.failed;
}

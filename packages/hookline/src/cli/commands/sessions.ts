import { inertJson } from "@hookline/core/internal/text";
import type { SessionsAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { durationText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { agoText } from "../format/times.js";
import { connectHub } from "../hub-client.js";
import { limit } from "../option-values.js";

interface SessionsOptions {
  readonly limit?: number;
  readonly json?: boolean;
}

export const command: CommandModule<SessionsOptions> = {
  define(command) {
    command
      .option("-n, --limit <count>", "how many (default: 20)", limit)
      .option("--json", "print JSON")
      .addHelpText("after", examples("hookline sessions", "hookline sessions --json | jq '.[].id'"));
  },

  async run(terminal, { limit: most = 20, json = false }) {
    const hub = await connectHub(terminal.env);
    const { sessions } = await hub.get<SessionsAnswer>("/api/sessions", new URLSearchParams({ limit: String(most) }));
    if (json) terminal.print(inertJson(JSON.stringify(sessions, undefined, 2)));
    else if (sessions.length === 0) terminal.say("No sessions yet. To create one: hookline demo");
    else for (const line of tableLines(heading, sessions.map(rowOf))) terminal.print(line);
    return EXIT.ok;
  },
};

const heading = ["SESSION", "PROGRAM", "EVENTS", "DENIED", "LASTED", "LAST EVENT"];

function rowOf({ id, app, events, denied, firstAt, lastAt }: SessionsAnswer["sessions"][number]): string[] {
  return [id, app || "unknown", String(events), String(denied), durationText(lastAt - firstAt), agoText(lastAt)];
}

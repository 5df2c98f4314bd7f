import { inertJson } from "@hookline/core/internal/text";
import type { EventAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { trailLines } from "../format/event-trail.js";
import { connectHub, Refusal } from "../hub-client.js";
import { text } from "../option-values.js";

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .argument("<event-id>", "its id, as `hookline tail --json` gives it", text)
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        examples("hookline show 0mf3k2v1q8d0s7a1b2c30001", 'hookline show "$(hookline tail --json --no-follow -n 1 -d deny | jq -r .id)"'),
      );
  },

  async run(terminal, { json = false }, [id = ""]) {
    const hub = await connectHub(terminal.env);
    const answer = await hub.get<EventAnswer>(`/api/events/${encodeURIComponent(id)}`).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      throw new CliError(`There is no event "${id}" in the store.`, { fix: { run: "hookline tail --no-follow --format logfmt" } });
    });
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else for (const line of trailLines(answer, terminal.paint)) terminal.print(line);
    return EXIT.ok;
  },
};

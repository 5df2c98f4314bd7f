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
      .argument("<event-id>", "its id or the beginning of it, as `hookline tail` prints it", text)
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        examples("hookline show 0mf3k2v1q8d", 'hookline show "$(hookline tail --json --no-follow -n 1 -d deny | jq -r .id)"'),
      );
  },

  async run(terminal, { json = false }, [id = ""]) {
    const hub = await connectHub(terminal.env);
    const answer = await hub.get<EventAnswer>(`/api/events/${encodeURIComponent(id)}`).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      throw new CliError(`There is no event "${id}" in the store.`, { fix: { run: "hookline tail --no-follow" } });
    });
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else for (const line of trailLines(answer, terminal.paint)) terminal.print(line);
    return EXIT.ok;
  },
};

import { Option } from "commander";
import type { PlacedEvent } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { addFilterOptions, type FilterOptions, filterQuery } from "../event-filters.js";
import { EXIT } from "../exit-codes.js";
import { EVENT_FORMATS, type EventFormat, eventLine } from "../format/event-line.js";
import { connectHub } from "../hub-client.js";
import { lines } from "../option-values.js";
import { follow } from "../tail/follow.js";
import { newestPlace, readHistory } from "../tail/history.js";

interface TailOptions extends FilterOptions {
  readonly lines?: number;
  readonly follow: boolean;
  readonly format?: EventFormat;
  readonly json?: boolean;
}

const DEFAULT_LINES = 10;
const MOST_LINES = 10_000;

export const command: CommandModule<TailOptions> = {
  define(command) {
    addFilterOptions(command);
    command
      .option("-n, --lines <count>", `how many of the past to show first (default: ${DEFAULT_LINES}, or all with --since)`, lines)
      .option("--no-follow", "show the past and end")
      .addOption(new Option("-f, --format <format>", "how an event is written (default: human)").choices(EVENT_FORMATS))
      .option("--json", "the same as --format json")
      .addHelpText(
        "after",
        examples(
          "hookline tail",
          "hookline tail --event 'tool:*' --decision deny --since 1h --no-follow",
          "hookline tail --json | jq .payload.tool.input.command",
        ),
      );
  },

  async run(terminal, options) {
    const hub = await connectHub(terminal.env);
    const format = options.json === true ? "json" : (options.format ?? "human");
    const filter = filterQuery(options);
    const show = (event: PlacedEvent) => terminal.print(eventLine(event, format, terminal));
    // Asked first, so that nothing falls between the past and the stream.
    const newest = options.follow ? await newestPlace(hub) : 0;
    const past = await readHistory(hub, filter, options.lines ?? (options.since === undefined ? DEFAULT_LINES : MOST_LINES));
    past.forEach(show);
    if (!options.follow) return EXIT.ok;
    if (past.length === 0 && terminal.isInteractive)
      terminal.say(terminal.paintTalk("dim", "Nothing yet. Waiting for events; Ctrl-C ends."));
    // Those of a session are in the order of their times, so the latest place may be anywhere among them.
    const after = past.reduce((latest, { place }) => Math.max(latest, place), newest);
    return follow(hub, { filter, after, onEvent: show }, terminal);
  },
};

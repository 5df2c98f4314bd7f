import { Option } from "commander";
import type { PlacedEvent } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { EVENT_FORMATS, type EventFormat, eventLine } from "../format/event-line.js";
import { connectHub } from "../hub-client.js";
import { lines } from "../option-values.js";
import { addFilterOptions, type FilterOptions, filterQuery } from "../tail/filter-options.js";
import { follow, newestPlace, readHistory, type Unsearched } from "../tail/follow.js";

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
      .option("-n, --lines <count>", `how many past events to show first (default: ${DEFAULT_LINES}, or all with --since)`, lines)
      .option("--no-follow", "show past events and exit")
      .addOption(new Option("-f, --format <format>", "how an event is written (default: human)").choices(EVENT_FORMATS))
      .option("--json", "the same as --format json")
      .addHelpText(
        "after",
        examples(
          "hookline tail",
          "hookline tail --event 'tool:*' --decision deny --since 1h --no-follow",
          "hookline tail --json | jq .payload.tool.input.command",
          "hookline tail --fleet --host laptop-7",
          "hookline fleet tail laptop-7",
        ),
      );
  },

  async run(terminal, options) {
    const hub = await connectHub(terminal.env);
    const format = options.json === true ? "json" : (options.format ?? "human");
    const filter = await filterQuery(hub, options);
    const show = (event: PlacedEvent) => terminal.print(eventLine(event, format, terminal));
    // Read first, so that no event is lost between the past events and the stream.
    const newest = options.follow ? await newestPlace(hub) : 0;
    const most = options.lines ?? (options.since === undefined ? DEFAULT_LINES : MOST_LINES);
    const past = await readHistory(hub, filter, most, (left) => terminal.say(terminal.paintTalk("yellow", unsearchedText(left))));
    past.forEach(show);
    if (!options.follow) {
      if (past.length === 0) terminal.say(terminal.paintTalk("dim", "No stored event matches."));
      return EXIT.ok;
    }
    if (past.length === 0 && terminal.isInteractive)
      terminal.say(terminal.paintTalk("dim", "No events yet. Waiting; press Ctrl-C to stop."));
    // Events of a session are sorted by time, so any of them may have the latest position.
    const after = past.reduce((latest, { place }) => Math.max(latest, place), newest);
    return follow(hub, { filter, after, onEvent: show }, terminal);
  },
};

function unsearchedText({ unindexed = 0, indexedUntil }: Unsearched): string {
  const until = indexedUntil === undefined ? "" : ` The search is complete up to ${indexedUntil}.`;
  return `The latest ${countText(unindexed, "stored event")} cannot be found by words yet.${until}`;
}

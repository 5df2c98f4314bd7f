import { type Command, Option } from "commander";
import type { PlacedEvent } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { EVENT_FORMATS, type EventFormat, eventLine } from "../format/event-line.js";
import { connectHub } from "../hub-client.js";
import { lines, text, texts, time } from "../option-values.js";
import { follow, newestPlace, readHistory } from "../tail/follow.js";

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
    const filter = filterQuery(options);
    const show = (event: PlacedEvent) => terminal.print(eventLine(event, format, terminal));
    // Read first, so that no event is lost between the past events and the stream.
    const newest = options.follow ? await newestPlace(hub) : 0;
    const past = await readHistory(hub, filter, options.lines ?? (options.since === undefined ? DEFAULT_LINES : MOST_LINES));
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

/** The filter that the options describe. */
interface FilterOptions {
  readonly event?: readonly string[];
  readonly session?: string;
  readonly fleet?: boolean;
  readonly host?: string;
  readonly source?: string;
  readonly tool?: string;
  readonly decision?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
}

const keys = ["session", "host", "source", "tool", "decision", "since", "until", "text"] as const;

function addFilterOptions(command: Command): void {
  command
    .option(
      "-e, --event <name>",
      "only these events: a name in any spelling or a pattern such as 'tool:*'; repeat the option for more",
      texts,
    )
    .option("-s, --session <id>", "only events of this session", text)
    .option("--fleet", "only events of the fleet's hosts, on a fleet hub")
    .option("--host <name>", "only events of this host of the fleet, on a fleet hub", text)
    .option("--source <app>", "only events from this program or instance", text)
    .option("--tool <name>", "only calls of this tool", text)
    .addOption(
      new Option("-d, --decision <verdict>", "only with this verdict; ask: every call that a person was asked about").choices([
        "pass",
        "allow",
        "ask",
        "deny",
      ]),
    )
    .option("--since <time>", "only events after this time: a time, or an age such as 15m, 2h, 7d", time)
    .option("--until <time>", "only events before this time", time)
    .option("--text <words>", "only events that contain all these words", text);
}

/** The filter as a query of the hub's HTTP API. */
function filterQuery(options: FilterOptions): URLSearchParams {
  const query = new URLSearchParams((options.event ?? []).map((name): [string, string] => ["event", name]));
  if (options.fleet === true) query.set("host", "*");
  for (const key of keys) if (options[key] !== undefined) query.set(key, options[key]);
  return query;
}

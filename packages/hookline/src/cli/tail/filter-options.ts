import { type Command, Option } from "commander";
import { findSession } from "../find-session.js";
import type { HubClient } from "../hub-client.js";
import { text, texts, time } from "../option-values.js";

/** The filter that the options describe. */
export interface FilterOptions {
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

/** Adds them to a command. */
export function addFilterOptions(command: Command): Command {
  return command
    .option(
      "-e, --event <name>",
      "only these events: a name in any spelling or a pattern such as 'tool:*'; repeat the option for more",
      texts,
    )
    .option("-s, --session <id>", "only events of this session: its id, or the beginning of it", text)
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

/** The filter as a query of the hub's HTTP API, with the whole id of the session. */
export async function filterQuery(hub: Pick<HubClient, "get">, options: FilterOptions): Promise<URLSearchParams> {
  const query = new URLSearchParams((options.event ?? []).map((name): [string, string] => ["event", name]));
  if (options.fleet === true) query.set("host", "*");
  for (const key of keys) if (options[key] !== undefined) query.set(key, options[key]);
  if (options.session !== undefined) query.set("session", (await findSession(hub, options.session)).id);
  return query;
}

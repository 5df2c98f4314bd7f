import { type Command, Option } from "commander";
import { text, texts, time } from "./option-values.js";

/** Which events are wanted, as the options say it. */
export interface FilterOptions {
  readonly event?: readonly string[];
  readonly session?: string;
  readonly source?: string;
  readonly tool?: string;
  readonly decision?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
}

const keys = ["session", "source", "tool", "decision", "since", "until", "text"] as const;

export function addFilterOptions(command: Command): void {
  command
    .option("-e, --event <name>", "only these: a name in any spelling or a pattern such as 'tool:*'; may be repeated", texts)
    .option("-s, --session <id>", "only of this session", text)
    .option("--source <app>", "only from this program or instance", text)
    .option("--tool <name>", "only calls of this tool", text)
    .addOption(
      new Option("-d, --decision <verdict>", "only with this verdict; ask: somebody was asked, whatever came of it").choices([
        "pass",
        "allow",
        "ask",
        "deny",
      ]),
    )
    .option("--since <time>", "only from then on: a time, or an age such as 15m, 2h, 7d", time)
    .option("--until <time>", "only before then", time)
    .option("--text <words>", "only with all these words in them", text);
}

/** The same as the hub's HTTP API takes it. */
export function filterQuery(options: FilterOptions): URLSearchParams {
  const query = new URLSearchParams((options.event ?? []).map((name): [string, string] => ["event", name]));
  for (const key of keys) if (options[key] !== undefined) query.set(key, options[key]);
  return query;
}

import { inertJson } from "@hookline/core/internal/text";
import { Option } from "commander";
import type { UsageAnswer, UsageSums } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { costText, tokensText } from "../format/usage-text.js";
import { connectHub } from "../hub-client.js";
import { time } from "../option-values.js";

const WAYS = ["day", "agent", "model", "project", "session"] as const;

interface UsageOptions {
  readonly by?: (typeof WAYS)[number];
  readonly since?: string;
  readonly until?: string;
  readonly json?: boolean;
}

export const command: CommandModule<UsageOptions> = {
  define(command) {
    command
      .addOption(new Option("--by <what>", "what to add up by (default: day)").choices(WAYS))
      .option("--since <time>", "from this time on (default: 7d)", time)
      .option("--until <time>", "before this time (default: now)", time)
      .option("--json", "print JSON")
      .addHelpText("after", examples("hookline usage", "hookline usage --by model --since 30d", "hookline usage --by session --json"));
  },

  async run(terminal, { by = "day", since, until, json = false }) {
    const hub = await connectHub(terminal.env);
    const query = new URLSearchParams({ by, ...(since !== undefined && { since }), ...(until !== undefined && { until }) });
    const answer = await hub.get<UsageAnswer>("/api/usage", query);
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else print(answer, terminal);
    return EXIT.ok;
  },
};

function print(answer: UsageAnswer, { print: line, say }: { print(text: string): void; say(text: string): void }): void {
  const { rows, total, silent, by, pricesChecked: prices } = answer;
  if (rows.length === 0) say("No agent has reported tokens or costs in this time.");
  else {
    const heading = [by.toUpperCase(), "INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "REASONING", "COST"];
    for (const text of tableLines(heading, [...rows.map((row) => cells(row.key || "unknown", row)), cells("total", total)])) line(text);
    if (answer.isCut) say(`Only the first ${countText(rows.length, "row")} are shown.`);
  }
  if ((total.estimatedUsd ?? 0) > 0)
    say(
      `\n~ is an estimate from list prices, which were checked between ${prices.oldest} and ${prices.newest}. To set your own: [prices] in hookline.toml.`,
    );
  if (total.unpricedTokens > 0)
    say(
      `\n≥ leaves out ${tokensText(total.unpricedTokens)} tokens of models without a known price. To set one: [prices] in hookline.toml.`,
    );
  if (silent.length > 0)
    say(
      `\nUnknown: ${silent.map(({ app, sessions }) => `${countText(sessions, "session")} of ${app}`).join(", ")}, which reported no usage.`,
    );
}

function cells(name: string, sums: UsageSums): string[] {
  const tokens = [sums.inputTokens, sums.cacheReadTokens, sums.cacheWriteTokens, sums.outputTokens, sums.reasoningTokens];
  return [name, ...tokens.map(tokensText), costText(sums)];
}

import { inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import type { RuleSuggestion, SuggestionsAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { agoText } from "../format/times.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { time } from "../option-values.js";
import type { Terminal } from "../terminal.js";

/** What the names of suggestions begin with. */
export const SUGGESTED = "approved-";

interface SuggestOptions {
  readonly since?: string;
  readonly json?: boolean;
}

export const command: CommandModule<SuggestOptions> = {
  define(command) {
    command
      .option("--since <time>", "approvals from this time on: 7d, 12h or 2026-01-31 (default: 90d)", time)
      .option("--json", "print JSON")
      .addHelpText("after", "\nShows the narrowest rule for each kind of call that you approved at least 5 times and never denied since,")
      .addHelpText("after", "and which recorded calls it would have let through. Nothing is changed.")
      .addHelpText("after", examples("hookline rules suggest", `hookline rules add ${SUGGESTED}ask-push-0a1b2c3d`));
  },

  async run(terminal, { since, json = false }) {
    const answer = await readSuggestions(await connectHub(terminal.env), since === undefined ? {} : { since });
    if (json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else print(answer, terminal);
    return EXIT.ok;
  },
};

export function readSuggestions(hub: HubClient, query: { readonly since?: string }): Promise<SuggestionsAnswer> {
  return hub.get<SuggestionsAnswer>("/api/rules/suggestions", new URLSearchParams(query));
}

function print({ suggestions }: SuggestionsAnswer, { print, say, paint }: Terminal): void {
  if (suggestions.length === 0) return say("No call was approved often enough: a suggestion needs 5 approvals of the same kind.");
  for (const suggestion of suggestions) {
    const { answers, approvals, last, toml, answered, examples: calls } = suggestion;
    print(`You approved this ${countText(approvals, "time")} when ${inertText(answers)} asked, last ${agoText(last)}:\n`);
    for (const line of toml.trimEnd().split("\n")) print(`  ${inertText(line)}`);
    print(`\n${effectOf(suggestion)}`);
    for (const { was, times, about } of calls)
      print(`  ${paint(was === "approved" ? "dim" : "yellow", `${times} × ${was}`)}  ${inertText(about.replace(/\s+/g, " "))}`);
    if (answered.others > 0) print("Look at the calls that you did not approve before you add it.");
    say(`To add it: hookline rules add ${shellWord(suggestion.name)}\n`);
  }
}

function effectOf({ answered: { approved, others } }: RuleSuggestion): string {
  return `In the record it would have answered ${countText(approved, "call")} that you approved, and let through ${
    others === 0 ? "no others" : countText(others, "other")
  }.`;
}

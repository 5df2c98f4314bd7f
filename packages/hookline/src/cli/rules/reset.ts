import { inertText } from "@hookline/core/internal/text";
import type { RulesResetAnswer } from "../../hub/protocol.js";
import { hasState } from "../../rules/state/state-condition.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { pickRule, readRules } from "./read-rules.js";

export const command: CommandModule = {
  define(command) {
    command
      .argument("[rule]", "its name (default: every rule)", text)
      .addHelpText(
        "after",
        "\nThe hub forgets what rules with count, after, repeats or budget have seen. Without a rule, a damaged record is set aside as well.",
      )
      .addHelpText("after", examples("hookline rules reset slow-down", "hookline rules reset"));
  },

  run: reset,
};

async function reset(terminal: Terminal, _options: object, [name]: readonly string[]): Promise<number> {
  if (name !== undefined) {
    const rule = pickRule(await readRules(terminal, undefined), name, "reset");
    if (!hasState(rule))
      throw new CliError(`The rule "${inertText(name)}" remembers nothing: it has no count, after, repeats or budget.`, {
        fix: { run: "hookline rules list" },
      });
  }
  const hub = await connectHub(terminal.env);
  await hub.post<RulesResetAnswer>("/api/rules/reset", JSON.stringify(name === undefined ? {} : { rule: name }));
  terminal.say(name === undefined ? "Every rule has forgotten what it counted." : `${inertText(name)} has forgotten what it counted.`);
  return EXIT.ok;
}

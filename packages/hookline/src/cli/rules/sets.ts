import { didYouMean, inertText } from "@hookline/core/internal/text";
import type { RuleConfig } from "../../config/config.js";
import { parseConfig } from "../../config/load-config.js";
import type { Rule } from "../../rules/rule.js";
import {
  isStarterName,
  readStarterRules,
  type SetChoice,
  type StarterName,
  starterPath,
  starterRules,
} from "../../rules/starter/starter-rules.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";

/** The rules of the sets that come with Hookline. */
export async function rulesOfSets(sets: readonly StarterName[]): Promise<readonly RuleConfig[]> {
  const configs = await Promise.all(sets.map((set) => parseConfig(readStarterRules(set), starterPath(set))));
  return configs.flatMap(({ config }) => config?.rules ?? []);
}

/** The rules of a set that a user names. `also` are other names that would have been right. */
export async function readSet(name: string, also: readonly string[] = []): Promise<readonly RuleConfig[]> {
  if (isStarterName(name)) return rulesOfSets([name]);
  const names = [...also, ...starterRules.map((set) => set.name)];
  throw new CliError(`There is no set of rules "${inertText(name)}".${didYouMean(name, names)} Sets: ${names.join(", ")}.`, {
    exitCode: EXIT.usage,
    fix: { run: "hookline rules add --help" },
  });
}

/** What adding sets puts in force, one line per set: `git-history  7 rules: 7 ask`. */
export async function planLines({ sets, shadow }: SetChoice): Promise<readonly string[]> {
  const width = Math.max(...sets.map(({ length }) => length));
  return Promise.all(sets.map(async (set) => `${set.padEnd(width)}  ${summaryOf(await rulesOfSets([set]), shadow)}`));
}

function summaryOf(rules: readonly Rule[], shadow: readonly string[]): string {
  const deciding = rules.filter(({ name }) => !shadow.includes(name));
  const counts = (["block", "ask"] as const).map((action) => [deciding.filter((rule) => rule.do === action).length, action] as const);
  const all = [...counts, [rules.length - deciding.length, "in shadow mode"] as const].filter(([count]) => count > 0);
  return `${countText(rules.length, "rule").padStart(8)}: ${all.map(([count, what]) => `${count} ${what}`).join(", ")}`;
}

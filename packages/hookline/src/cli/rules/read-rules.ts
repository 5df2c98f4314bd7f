import { didYouMean, editCommand, inertText } from "@hookline/core/internal/text";
import type { RuleConfig } from "../../config/config.js";
import { parseConfig } from "../../config/load-config.js";
import { byEntry, type ConfigProblem, entryOf, formatProblem } from "../../config/problem.js";
import { CliError } from "../cli-error.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import type { Terminal } from "../terminal.js";

/** A table that is no rule because of what is wrong in it. */
export interface RejectedRule {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** In sentences. */
  readonly problems: readonly string[];
}

export interface ReadRules {
  readonly path: string;
  readonly text: string;
  readonly rules: readonly RuleConfig[];
  readonly rejected: readonly RejectedRule[];
  /** What in the rules cannot be checked. */
  readonly warnings: readonly ConfigProblem[];
}

/** The rules of a file; what is wrong in it is said. Throws when it is not there and was asked for. */
export async function readRules(terminal: Terminal, given: string | undefined): Promise<ReadRules> {
  const { path, text } = openConfigFile(given, terminal.env);
  if (text === undefined && given !== undefined)
    throw new CliError(`There is no file "${inertText(path)}".`, { fix: { run: "hookline rules list" } });
  const { config, problems, warnings } = await parseConfig(text ?? "", path);
  for (const problem of [...problems, ...warnings]) terminal.say(inertText(formatProblem(problem)));
  if (config === undefined) throw new CliError(`"${inertText(path)}" cannot be read.`, { fix: { run: editCommand(path) } });
  const rejected = byEntry(problems.filter(({ key }) => /^rule\b/.test(key))).map(rejectedBy);
  return { path, text: text ?? "", rules: config.rules, rejected, warnings };
}

function rejectedBy(problems: readonly [ConfigProblem, ...ConfigProblem[]]): RejectedRule {
  const [{ name, key, file, line }] = problems;
  return { name: name ?? entryOf({ key }), file, line, problems: problems.map(formatProblem) };
}

/** The rule of that name. Throws for an unknown name, with a suggestion, and for a rule that cannot be used. */
export function pickRule({ path, rules, rejected }: ReadRules, name: string | undefined, action: string): RuleConfig {
  if (name === undefined)
    throw new CliError("Say which rule.", {
      exitCode: EXIT.usage,
      fix: { run: rules.length === 0 ? "hookline rules add" : `hookline rules list` },
    });
  const found = rules.find((rule) => rule.name === name);
  if (found !== undefined) return found;
  const wrong = rejected.find((rule) => rule.name === name);
  if (wrong !== undefined)
    throw new CliError(`The rule "${name}" is wrong, so there is nothing to ${action}. Mend it in ${wrong.file}:${wrong.line}.`, {
      fix: { run: "hookline rules list" },
    });
  const names = rules.map((rule) => rule.name);
  throw new CliError(`There is no rule "${name}" in "${path}".${didYouMean(name, names)}`, { fix: { run: "hookline rules list" } });
}

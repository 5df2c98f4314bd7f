import { didYouMean, editCommand, inertText } from "@hookline/core/internal/text";
import type { RuleConfig } from "../../config/config.js";
import { parseConfig } from "../../config/load-config.js";
import { byEntry, type ConfigProblem, entryOf, formatProblem } from "../../config/problem.js";
import { CliError } from "../cli-error.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import type { Terminal } from "../terminal.js";

/** A table that cannot be used as a rule. */
export interface RejectedRule {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** What is wrong, in sentences. */
  readonly problems: readonly string[];
}

export interface ReadRules {
  readonly path: string;
  readonly text: string;
  readonly rules: readonly RuleConfig[];
  readonly rejected: readonly RejectedRule[];
  /** Parts of the rules that cannot be checked. */
  readonly warnings: readonly ConfigProblem[];
}

/** Reads the rules of a file and reports its faults. Throws if a file named by the user does not exist. */
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
    throw new CliError("Name a rule.", {
      exitCode: EXIT.usage,
      fix: { run: rules.length === 0 ? "hookline rules add" : `hookline rules list` },
    });
  const found = rules.find((rule) => rule.name === name);
  if (found !== undefined) return found;
  const wrong = rejected.find((rule) => rule.name === name);
  if (wrong !== undefined)
    throw new CliError(`The rule "${name}" cannot be used, so there is nothing to ${action}. Fix it in ${wrong.file}:${wrong.line}.`, {
      fix: { run: "hookline rules list" },
    });
  const names = rules.map((rule) => rule.name);
  throw new CliError(`There is no rule "${name}" in "${path}".${didYouMean(name, names)}`, { fix: { run: "hookline rules list" } });
}

import type { RuleConfig } from "../../config/config.js";
import { parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { CliError } from "../cli-error.js";
import { openConfigFile } from "../config-file.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";

export interface ReadRules {
  readonly path: string;
  readonly rules: readonly RuleConfig[];
  /** What is wrong with tables of rules, in sentences. */
  readonly problems: readonly string[];
}

/** The rules of a file; what is wrong in it is said. Throws when it is not there and was asked for. */
export async function readRules(terminal: Terminal, given: string | undefined): Promise<ReadRules> {
  const { path, text } = openConfigFile(given, terminal.env);
  if (text === undefined && given !== undefined) throw new CliError(`There is no file "${inert(path)}".`);
  const { config, problems } = await parseConfig(text ?? "", path);
  for (const problem of problems) terminal.say(inert(formatProblem(problem)));
  if (config === undefined) throw new CliError(`"${inert(path)}" cannot be read.`, { next: "hookline config show" });
  return { path, rules: config.rules, problems: problems.filter(({ key }) => key.startsWith("rule")).map(formatProblem) };
}

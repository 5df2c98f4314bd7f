import { didYouMean } from "@hookline/core/internal/text";
import type { RuleConfig } from "../../config/config.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import type { ReadRules } from "./read-rules.js";

/** The rule of that name. Throws, with what was meant, for a name that is none, and for one that is wrong in the file. */
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

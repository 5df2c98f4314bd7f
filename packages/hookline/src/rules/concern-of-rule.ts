import { type Concern, requiredNames, requiredTexts } from "@hookline/core/internal";
import { readsFacts } from "./command/expression-facts.js";
import type { Rule } from "./rule.js";
import { literalsOf, worthOf } from "./rule-index.js";

/**
 * What a call must have for a rule to match, besides the rule's `tool`, as far as data can say it. `null`: a command, which only a shell's tool has.
 * Empty if every call may match, or if it is not known whether the rule can fail.
 */
export function concernOfRule({ match, command, path, host, secret, when }: Rule): Concern | null {
  // Of these conditions one is enough.
  if (command !== undefined && path === undefined && host === undefined && secret === undefined) return null;
  // An expression in CEL may fail, and a rule that fails has an opinion.
  if (match === undefined || match.trim() === "*" || when !== undefined || readsFacts(match)) return {};
  const texts = requiredTexts(match, worthOf)?.map((condition) => ({ path: condition.path, literals: literalsOf(condition) }));
  const tool = requiredNames(match);
  // The hub adds what it knows of the session and its folder to the rest of the payload.
  const isOfTool = texts?.every(({ path: read }) => read.startsWith("tool.")) === true;
  return { ...(tool !== undefined && { tool }), ...(isOfTool && { texts }) };
}

import { isObject } from "../dialects/read-document.js";
import { type ImportedHook, quoteValue } from "./imported-hook.js";

const categories: { readonly [name: string]: readonly string[] } = {
  shell: ["exec_shell"],
  file_write: ["write_file", "edit_file", "apply_patch"],
  safe: ["read_file", "list_dir", "grep_files"],
};
const MAX_DEPTH = 16;

/** A condition of codewhale's as a tool filter or a match expression; a sentence where it is neither. */
export function readCondition(condition: unknown): Pick<ImportedHook, "tool" | "match"> | string {
  if (condition === undefined || (isObject(condition) && condition.type === "always")) return {};
  const tools = toolsOf(condition);
  if (tools !== undefined) return { tool: tools };
  const expression = expressionOf(condition, 0);
  return "fault" in expression ? expression.fault : { match: expression.text };
}

/** A name that is no glob can stand as it is. */
function toolsOf(condition: unknown): readonly string[] | undefined {
  if (!isObject(condition)) return undefined;
  if (condition.type === "tool_name" && typeof condition.name === "string" && /^[\w-]+$/.test(condition.name)) return [condition.name];
  return condition.type === "tool_category" && Object.hasOwn(categories, String(condition.category))
    ? categories[String(condition.category)]
    : undefined;
}

type Expression = { readonly text: string } | { readonly fault: string };

function expressionOf(condition: unknown, depth: number): Expression {
  if (!isObject(condition) || depth > MAX_DEPTH) return { fault: `"condition" must be a table with a "type".` };
  const tools = toolsOf(condition);
  if (tools !== undefined) return { text: `(${tools.map((name) => `tool.name == ${quoteValue(name)}`).join(" || ")})` };
  switch (condition.type) {
    case "tool_name":
      return { text: `tool.name == ${quoteValue(String(condition.name))}` };
    case "mode":
      return { text: `mode == ${quoteValue(String(condition.mode).toLowerCase())}` };
    case "all":
      return joined(condition.conditions, " && ", depth);
    case "any":
      return joined(condition.conditions, " || ", depth);
    default:
      return { fault: `A condition of type ${JSON.stringify(condition.type ?? null)} is not taken over: nothing here says the same.` };
  }
}

function joined(conditions: unknown, sign: string, depth: number): Expression {
  if (!Array.isArray(conditions) || conditions.length === 0) return { fault: `"conditions" must be a list that is not empty.` };
  const parts = conditions.map((condition) => expressionOf(condition, depth + 1));
  const bad = parts.find((part) => "fault" in part);
  return bad ?? { text: `(${parts.map((part) => ("text" in part ? part.text : "")).join(sign)})` };
}

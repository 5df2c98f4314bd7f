import type { SqlFact } from "./facts.js";

/** The statements in a text, without what stands in quotes and comments. */
export function statementsIn(text: string): SqlFact[] {
  const bare = text.replace(/--[^\n]*|\/\*[\s\S]{0,10000}?\*\/|'(?:[^']|'')*'/g, " ");
  return bare.split(";").flatMap((statement) => {
    const words = statement.toLowerCase().match(/[\w."`\-[\]]+/g) ?? [];
    const [verb, ...rest] = words;
    if (verb === undefined) return [];
    return [{ verb, target: targetOf(verb, rest), where: rest.includes("where") }];
  });
}

const fillers = new Set(["if", "exists", "not", "only", "concurrently", "ignore", "low_priority", "quick"]);

function targetOf(verb: string, rest: readonly string[]): string {
  const words = rest.filter((word) => !fillers.has(word)).map((word) => word.replace(/["`[\]]/g, ""));
  if (verb === "delete" || verb === "select") return words[words.indexOf("from") + 1] ?? "";
  if (verb === "drop" || verb === "truncate" || verb === "alter" || verb === "create") return words.slice(0, 2).join(" ");
  return words[0] ?? "";
}

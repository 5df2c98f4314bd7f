import { noRegex } from "./compile.js";
import { type Parts, parseExpression } from "./expression.js";
import { comparison, space, take, takeQuoted, takeValue, word } from "./scan.js";
import { isNamePath } from "./tool-filter.js";

/** A comparison of the text at a path. */
export interface TextCondition {
  readonly path: string;
  readonly sign: "==" | "contains" | "=~";
  readonly value: string;
}

/**
 * Comparisons of which at least one holds for every payload that an expression holds for. Where an expression leaves a choice, the comparisons of
 * the greatest worth are taken; those of worth 0 never are. Undefined if there are none.
 */
export function requiredTexts(match: string, worthOf: (condition: TextCondition) => number): readonly TextCondition[] | undefined {
  type Required = readonly TextCondition[] | undefined;
  const least = (required: Required): number => (required === undefined ? 0 : Math.min(...required.map(worthOf)));
  const parts: Parts<Required> = {
    term(cursor) {
      if (takeQuoted(cursor) !== undefined) return undefined;
      const path = take(cursor, word);
      take(cursor, space);
      const sign = take(cursor, comparison);
      if (sign === "") return undefined;
      take(cursor, space);
      const value = takeValue(cursor, sign === "=~");
      // The names of a tool are compared in their own way.
      if (sign === "!=" || isNamePath(path)) return undefined;
      const required = [{ path, sign: sign as TextCondition["sign"], value }];
      return least(required) > 0 ? required : undefined;
    },
    all: (list) => list.reduce((best, one) => (least(one) > least(best) ? one : best)),
    any: (list) => (list.some((one) => one === undefined) ? undefined : list.flatMap((one) => one ?? [])),
    not: () => undefined,
  };
  return parseExpression({ text: match, engine: noRegex, paths: [], at: 0, depth: 0 }, parts);
}

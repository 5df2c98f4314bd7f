import { noRegex } from "./compile.js";
import { type Parts, parseExpression } from "./expression.js";
import { comparison, space, take, takeQuoted, takeValue, word } from "./scan.js";

/** What a call must have for a guard to have an opinion on it, as data. Of both, if there are both; without either, every call concerns the guard. */
export interface Concern {
  /** One of these names or globs, as in the filter `tool`. */
  readonly tool?: readonly string[];
  /** One of these texts. */
  readonly texts?: readonly TextConcern[];
}

interface TextConcern {
  readonly path: string;
  /** The text at the path contains one of them, in whatever case. ASCII, not empty. */
  readonly literals: readonly string[];
}

type Names = readonly string[] | undefined;

const names: Parts<Names> = {
  term(cursor) {
    const quoted = takeQuoted(cursor);
    if (quoted !== undefined) return [quoted];
    const left = take(cursor, word);
    take(cursor, space);
    const sign = take(cursor, comparison);
    // A word with a dot is a path.
    if (sign === "") return left === "*" || left.includes(".") ? undefined : [left];
    take(cursor, space);
    const value = takeValue(cursor, sign === "=~");
    return sign === "==" && left === "tool.name" && value.trim() === value && value !== ""
      ? [value.replace(/[*?[\\,|]/g, "\\$&")]
      : undefined;
  },
  all: (list) => list.find((one) => one !== undefined),
  any: (list) => (list.some((one) => one === undefined) ? undefined : list.flatMap((one) => one ?? [])),
  not: () => undefined,
};

/**
 * Names of tools, as in the filter `tool`, of which the tool has one in every call that an expression holds for, if the payload has no `target`,
 * which a bare name may be as well. Undefined if the expression does not name its tools.
 */
export function requiredNames(match: string): readonly string[] | undefined {
  return parseExpression({ text: match, engine: noRegex, paths: [], at: 0, depth: 0 }, names);
}

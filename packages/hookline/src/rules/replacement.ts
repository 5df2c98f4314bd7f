import type { Predicate } from "@hookline/core/internal";
import { compileReplacement, linearRegex } from "./linear-regex.js";

/** What `do = "replace"` does with a value: a text, or the texts, keys and numbers in a list or table. Bytes are read as UTF-8. */
export interface Replacement {
  /** Whether there is anything to replace. */
  readonly isFound: Predicate;
  replace(value: unknown): unknown;
}

/** Deeper than any payload that the hub accepts. */
const MAX_DEPTH = 64;

/** Compiles `find` and `with`. Throws a `SyntaxError` for what is not a regular expression, or needs backtracking. */
export function compileReplace(find: string, replacement: string): Replacement {
  const { test } = linearRegex.compile(find);
  const replaceIn = compileReplacement(find, replacement);
  return {
    isFound: (_payload, value) => hasText(value, test, 0),
    replace: (value) => mapTexts(value, (text) => (test(text) ? replaceIn(text) : undefined), 0),
  };
}

function hasText(value: unknown, test: (text: string) => boolean, depth: number): boolean {
  const text = textOf(value);
  if (text !== undefined) return test(text);
  if (typeof value !== "object" || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  return Object.entries(value).some(([key, member]) => (!Array.isArray(value) && test(key)) || hasText(member, test, depth + 1));
}

/** A copy without the parts that are too deep to check. `map` returns undefined for a text that stays unchanged. */
function mapTexts(value: unknown, map: (text: string) => string | undefined, depth: number): unknown {
  const text = textOf(value);
  if (text !== undefined) return map(text) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, map, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [map(key) ?? key, mapTexts(member, map, depth + 1)]));
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : undefined;
}

import type { Predicate } from "@hookline/core";
import { compileReplacement, linearRegex } from "./linear-regex.js";

/** What `do = "replace"` does with a value: a text, or the texts in a list or table. */
export interface Replacement {
  /** Whether there is anything to replace. */
  readonly isFound: Predicate;
  replace(value: unknown): unknown;
}

/** Deeper than any payload that the hub takes. */
const MAX_DEPTH = 64;

/** Compiles `find` and `with`. Throws a `SyntaxError` for what is not a regular expression, or needs backtracking. */
export function compileReplace(find: string, replacement: string): Replacement {
  const { test } = linearRegex.compile(find);
  const replaceIn = compileReplacement(find, replacement);
  return {
    isFound: (_payload, value) => hasText(value, test, 0),
    replace: (value) => mapTexts(value, replaceIn, 0),
  };
}

function hasText(value: unknown, test: (text: string) => boolean, depth: number): boolean {
  if (typeof value === "string") return test(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  return Object.values(value).some((member) => hasText(member, test, depth + 1));
}

/** A copy; what cannot be looked into is left out of it. */
function mapTexts(value: unknown, map: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, map, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, map, depth + 1)]));
}

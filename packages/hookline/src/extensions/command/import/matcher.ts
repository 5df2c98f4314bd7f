import { quoteValue } from "./imported-hook.js";

/** What narrows a hook: names, or an expression. */
export type Narrowing = { readonly names: readonly string[] } | { readonly expression: string } | undefined;

// Letters, digits and what may stand in a name: nothing here means anything to a regular expression but itself.
const NAMES = /^[\w-]+(?:\s*[|,]\s*[\w-]+)*$/;

/**
 * Reads a matcher of Claude Code's: empty and `*` are everything, `A|B` and `A,B` are names to be met whole (`a-b` is not a part of
 * `xa-bx`), and anything else is a regular expression, which may match anywhere as it does there.
 */
export function readMatcher(matcher: string, path: string): Narrowing {
  const text = matcher.trim();
  if (text === "" || text === "*") return undefined;
  if (NAMES.test(text)) return { names: text.split(/\s*[|,]\s*/) };
  return { expression: `${path} =~ '${text.replaceAll("'", "\\'")}'` };
}

/** Names as an expression, for events that have no tool. */
export function anyOf(path: string, names: readonly string[]): string {
  return names.map((name) => `${path} == ${quoteValue(name)}`).join(" || ");
}

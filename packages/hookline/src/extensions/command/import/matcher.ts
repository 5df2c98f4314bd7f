import { quoteRegex, quoteValue } from "./imported-hook.js";

/** What narrows a hook: names, or an expression. */
export type Narrowing = { readonly names: readonly string[] } | { readonly expression: string } | undefined;

// Nothing in these means anything to a regular expression but itself.
const NAMES = /^[\w\s,|-]+$/;
/** Two of Claude Code's events take only these for names. */
const FEW_NAMES = /^[\w|]+$/;

/** What a matcher is compared with: a path of the payload. */
export interface Compared {
  readonly paths: readonly string[];
  /** Takes `a-b`, `a b` and `a,b` for regular expressions. */
  readonly isStrict?: boolean;
}

/**
 * Reads a matcher of Claude Code's: empty and `*` are everything, `A|B` and `A,B` are names to be met whole (`a-b` is not a part of
 * `xa-bx`), and anything else is a regular expression, which may match anywhere as it does there.
 */
export function readMatcher(matcher: string, { paths, isStrict = false }: Compared): Narrowing {
  const text = matcher.trim();
  if (text === "" || text === "*") return undefined;
  if ((isStrict ? FEW_NAMES : NAMES).test(text)) {
    const names = text.split(/[|,]/).map((name) => name.trim());
    return { names: names.filter((name) => name !== "") };
  }
  return { expression: paths.map((path) => `${path} =~ ${quoteRegex(text)}`).join(" || ") };
}

/** Names as an expression, for events that have no tool. */
export function anyOf(path: string, names: readonly string[]): string {
  return names.map((name) => `${path} == ${quoteValue(name)}`).join(" || ");
}

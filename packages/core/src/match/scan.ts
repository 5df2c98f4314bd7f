import { badMatch, quoteIt } from "./bad-match.js";
import type { PathUse } from "./path.js";
import type { RegexEngine } from "./regex.js";

/** How far an expression has been read. */
export interface Cursor {
  readonly text: string;
  readonly engine: RegexEngine;
  /** Filled in as they are read. */
  readonly paths: PathUse[];
  at: number;
  depth: number;
}

// Sticky and unambiguous: each reads its characters once, whatever the input.
export const space = /\s*/y;
export const opening = /[!(]/y;
export const word = /(?:\\[\s\S]?|(?!&&|\|\||==|!=|=~)[^\s()'"\\])+/y;
export const comparison = /==|!=|=~|contains(?=[\s'"]|$)/y;
const quoted = /'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"/y;
const bare = /(?!=)(?:(?!&&|\|\|)[^\s)])+/y;

/** Reads a token; empty if the text continues with something else. */
export function take(cursor: Cursor, token: RegExp): string {
  token.lastIndex = cursor.at;
  const found = token.exec(cursor.text)?.[0] ?? "";
  cursor.at += found.length;
  return found;
}

export function takeSign(cursor: Cursor, sign: string): boolean {
  take(cursor, space);
  if (!cursor.text.startsWith(sign, cursor.at)) return false;
  cursor.at += sign.length;
  return true;
}

/** The inside of a quoted text, backslashes and all. */
export function takeQuoted(cursor: Cursor): string | undefined {
  const quote = cursor.text[cursor.at];
  if (quote !== "'" && quote !== '"') return undefined;
  const found = take(cursor, quoted);
  if (found === "") throw badMatch(`Expected a closing ${quote} for this one.`, cursor);
  return found.slice(1, -1);
}

/** The right side of a comparison. In a regular expression a doubled backslash is the expression's own and stays. */
export function takeValue(cursor: Cursor, isRegex: boolean): string {
  const quote = cursor.text[cursor.at];
  const raw = takeQuoted(cursor);
  if (raw !== undefined)
    return raw.replace(/\\([\s\S])/g, (pair, escaped) => (escaped === quote || (escaped === "\\" && !isRegex) ? escaped : pair));
  const value = take(cursor, bare);
  if (value === "") throw badMatch(`Expected a value, or '' for empty. ${quoteIt}`, cursor);
  return value;
}

import { badMatch, type Place, quoteIt } from "./bad-match.js";
import type { PathUse } from "./path.js";
import { allOf, anyOf, not, type Predicate } from "./predicate.js";
import type { RegexEngine } from "./regex.js";
import { type Cursor, opening, space, take, takeSign } from "./scan.js";
import { parseTerm } from "./term.js";

const maxLength = 10_000;
const maxDepth = 64;

interface ExpressionOptions {
  /** Holds for every tool for which it can hold. */
  readonly isAboutTool?: boolean;
  /** Is given the paths that the expression reads. */
  readonly paths?: PathUse[];
}

/** Compiles the string language of `match`; docs/matching.md has the grammar. */
export function compileExpression(
  text: string,
  engine: RegexEngine,
  { isAboutTool = false, paths = [] }: ExpressionOptions = {},
): Predicate {
  if (text.length > maxLength) throw tooMuch("characters", maxLength, { text, at: maxLength });
  const cursor: Cursor = { text, engine, isAboutTool, paths, at: 0, depth: 0, isNegated: false };
  const predicate = parseAny(cursor);
  if (cursor.at < text.length) throw expectedJoin(cursor);
  return predicate;
}

function parseAny(cursor: Cursor): Predicate {
  const parts = [parseAll(cursor)];
  while (takeSign(cursor, "||")) parts.push(parseAll(cursor));
  return anyOf(parts);
}

function parseAll(cursor: Cursor): Predicate {
  const parts = [parsePart(cursor)];
  while (takeSign(cursor, "&&")) parts.push(parsePart(cursor));
  return allOf(parts);
}

function parsePart(cursor: Cursor): Predicate {
  take(cursor, space);
  const place = { text: cursor.text, at: cursor.at };
  const sign = take(cursor, opening);
  if (sign === "") return parseTerm(cursor);
  if (++cursor.depth > maxDepth) throw tooMuch("levels", maxDepth, place);
  const predicate = sign === "!" ? parseNegation(cursor) : parseGroup(cursor);
  cursor.depth--;
  return predicate;
}

function parseNegation(cursor: Cursor): Predicate {
  cursor.isNegated = !cursor.isNegated;
  const predicate = not(parsePart(cursor));
  cursor.isNegated = !cursor.isNegated;
  return predicate;
}

function parseGroup(cursor: Cursor): Predicate {
  const predicate = parseAny(cursor);
  if (takeSign(cursor, ")")) return predicate;
  throw expectedJoin(cursor);
}

function expectedJoin(cursor: Cursor): Error {
  const closing = cursor.depth > 0 ? ", )" : "";
  return badMatch(`Expected &&, ||${closing} or a comparison: ==, !=, =~, contains. ${quoteIt}`, cursor);
}

function tooMuch(unit: string, limit: number, place: Place): Error {
  return badMatch(`This expression has more than ${limit} ${unit}. Use a function.`, place);
}

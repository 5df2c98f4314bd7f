import { badMatch, type Place, quoteIt } from "./bad-match.js";
import type { PathUse } from "./path.js";
import { allOf, anyOf, not, type Predicate } from "./predicate.js";
import type { RegexEngine } from "./regex.js";
import { type Cursor, opening, space, take, takeSign } from "./scan.js";
import { parseTerm } from "./term.js";

const maxLength = 10_000;
const maxDepth = 64;

/** Compiles the string language of `match`; docs/matching.md has the grammar. `paths` is given the paths that the expression reads. */
export function compileExpression(text: string, engine: RegexEngine, paths: PathUse[] = []): Predicate {
  return parseExpression({ text, engine, paths, at: 0, depth: 0 }, predicates);
}

/** What the parts of an expression become. */
export interface Parts<T> {
  readonly term: (cursor: Cursor) => T;
  readonly all: (parts: readonly T[]) => T;
  readonly any: (parts: readonly T[]) => T;
  readonly not: (part: T) => T;
}

const predicates: Parts<Predicate> = { term: parseTerm, all: allOf, any: anyOf, not };

export function parseExpression<T>(cursor: Cursor, into: Parts<T>): T {
  const { text } = cursor;
  if (text.length > maxLength) throw tooMuch("characters", maxLength, { text, at: maxLength });
  const whole = parseAny();
  if (cursor.at < text.length) throw expectedJoin(cursor);
  return whole;

  function parseAny(): T {
    return parseList("||", () => parseList("&&", parsePart, into.all), into.any);
  }

  function parseList(sign: string, parse: () => T, join: (parts: readonly T[]) => T): T {
    const parts = [parse()];
    while (takeSign(cursor, sign)) parts.push(parse());
    return join(parts);
  }

  function parsePart(): T {
    take(cursor, space);
    const place = { text, at: cursor.at };
    const sign = take(cursor, opening);
    if (sign === "") return into.term(cursor);
    if (++cursor.depth > maxDepth) throw tooMuch("levels", maxDepth, place);
    const part = sign === "!" ? into.not(parsePart()) : parseGroup();
    cursor.depth--;
    return part;
  }

  function parseGroup(): T {
    const part = parseAny();
    if (takeSign(cursor, ")")) return part;
    throw expectedJoin(cursor);
  }
}

function expectedJoin(cursor: Cursor): Error {
  const closing = cursor.depth > 0 ? ", )" : "";
  return badMatch(`Expected &&, ||${closing} or a comparison: ==, !=, =~, contains. ${quoteIt}`, cursor);
}

function tooMuch(unit: string, limit: number, place: Place): Error {
  return badMatch(`This expression has more than ${limit} ${unit}. Use a function.`, place);
}

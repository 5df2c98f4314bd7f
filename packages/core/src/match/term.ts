import { badMatch, type Place } from "./bad-match.js";
import { compileNamePart, compileSameName } from "./fold-case.js";
import { compilePath, expectedTerm, type Reader } from "./path.js";
import { always, not, type Predicate } from "./predicate.js";
import { compileRegex } from "./regex.js";
import { type Cursor, comparison, space, take, takeQuoted, takeValue, word } from "./scan.js";
import { isTruthy, toText } from "./text.js";
import { compileName, compileNameAt } from "./tool-filter.js";

/** One condition: a comparison, a path or a tool name. */
export function parseTerm(cursor: Cursor): Predicate {
  const { text, at } = cursor;
  const name = takeQuoted(cursor);
  if (name !== undefined) return compileName(name, { text, at: at + 1 });
  const left = take(cursor, word);
  take(cursor, space);
  const sign = take(cursor, comparison);
  return sign === "" ? compileWord(left, cursor, { text, at }) : parseComparison(cursor, left, readPath(cursor, left, { text, at }), sign);
}

function readPath({ paths }: Cursor, path: string, place: Place): Reader {
  const read = compilePath(path, place);
  paths.push({ path, place });
  return read;
}

function compileWord(left: string, cursor: Cursor, { text, at }: Place): Predicate {
  if (left === "*") return always;
  // `tool=Bash` would be a name that no tool has: a comparison was meant.
  const wrong = left.search(/^$|[=<>&]/);
  if (wrong >= 0) throw badMatch(expectedTerm, { text, at: at + wrong });
  if (!left.includes(".")) return compileName(left, { text, at });
  const read = readPath(cursor, left, { text, at });
  return (payload, value) => isTruthy(read(payload, value));
}

function parseComparison(cursor: Cursor, path: string, read: Reader, sign: string): Predicate {
  take(cursor, space);
  const { text, at, engine } = cursor;
  const wanted = takeValue(cursor, sign === "=~");
  const ofName = sign === "=~" ? undefined : compileNameAt(path, sign === "contains" ? compileNamePart(wanted) : compileSameName(wanted));
  if (ofName !== undefined) return sign === "!=" ? not(ofName) : ofName;
  if (sign === "==") return (payload, value) => toText(read(payload, value)) === wanted;
  if (sign === "!=") return (payload, value) => toText(read(payload, value)) !== wanted;
  if (sign === "contains") return (payload, value) => toText(read(payload, value)).includes(wanted);
  const pattern = compileRegex(engine, wanted, { text, at });
  return (payload, value) => pattern.test(toText(read(payload, value)));
}

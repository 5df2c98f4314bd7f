import { TomlCursor } from "./toml-cursor.js";
import { readPlaces } from "./toml-places.js";

/** Keys and list indices, from the document root. */
export type KeyPath = readonly (string | number)[];

/** Both from 1, as editors count. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * The position of a key or, if it does not exist, of the innermost table or list of its path that does. With `at`, the position of that
 * character of the key's text, if the text is on one line.
 */
export type FindPosition = (path: KeyPath, at?: number) => Position;

/** The parser keeps no positions, so the text is scanned a second time for its keys. For text that the parser has accepted. */
export function locateKeys(text: string): FindPosition {
  const root = readPlaces(text);
  const lines = lineStarts(text);
  return (path, at) => {
    let place = root;
    for (const key of path) {
      const next = place.members.get(String(key));
      if (next === undefined) break;
      place = next;
    }
    return positionOf(lines, at === undefined ? place.offset : (offsetInText(text, place.offset, at) ?? place.offset));
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

function positionOf(lines: readonly number[], offset: number): Position {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (lines[low] as number) + 1 };
}

const ESCAPE = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|.)/y;

/** The position of the character `at` of a key's text in the file. Undefined if the value is not text on one line. */
function offsetInText(text: string, key: number, at: number): number | undefined {
  const cursor = new TomlCursor(text);
  cursor.offset = key;
  cursor.readKeys();
  cursor.skipPast("=", 1);
  cursor.skipSpaces();
  const quote = cursor.peek();
  if ((quote !== '"' && quote !== "'") || (cursor.peek(1) === quote && cursor.peek(2) === quote)) return undefined;
  let offset = cursor.offset + 1;
  for (let left = at; left > 0; left--) offset += quote === '"' ? lengthAt(text, offset) : 1;
  return offset;
}

/** An escape is one character that takes several in the file. */
function lengthAt(text: string, offset: number): number {
  ESCAPE.lastIndex = offset;
  return ESCAPE.exec(text)?.[0].length ?? 1;
}

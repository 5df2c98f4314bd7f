import { TomlCursor } from "./toml-cursor.js";

const ESCAPE = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|.)/y;

/** Where the character `at` of the text behind a key stands in the file; nothing for what is no text of one line. */
export function offsetInText(text: string, key: number, at: number): number | undefined {
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

/** An escape is one character that takes several. */
function lengthAt(text: string, offset: number): number {
  ESCAPE.lastIndex = offset;
  return ESCAPE.exec(text)?.[0].length ?? 1;
}

import { isDeepStrictEqual } from "node:util";

/** An object or a list that is still open. */
interface Open {
  /** What each key stands for, as JSON. Missing in a list. */
  readonly members?: Map<string, string>;
  /** The key of the member in progress, and where its value begins: 0 before the colon. */
  key: string;
  from: number;
}

/**
 * A key that a JSON text gives twice in one object, with different values. Parsers disagree on which of them counts, and what a guard said twice
 * it has not said. `text` is JSON.
 */
export function findRepeatedKey(text: string): string | undefined {
  const open: Open[] = [];
  let inner: Open | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfString(text, at);
      if (inner?.members !== undefined && inner.from === 0) inner.key = JSON.parse(text.slice(at, end + 1)) as string;
      at = end;
    } else if (sign === "{" || sign === "[") {
      inner = { key: "", from: 0, ...(sign === "{" && { members: new Map<string, string>() }) };
      open.push(inner);
    } else if (sign === ":" && inner !== undefined) inner.from = at + 1;
    else if (inner !== undefined && (sign === "," || sign === "}" || sign === "]")) {
      if (isRepeated(inner, text, at)) return inner.key;
      if (sign === ",") continue;
      open.pop();
      inner = open.at(-1);
    }
  }
  return undefined;
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at > 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** Ends a member: whether its key had another value before. */
function isRepeated(object: Open, text: string, end: number): boolean {
  const { members, key, from } = object;
  if (members === undefined || from === 0) return false;
  object.from = 0;
  const value = text.slice(from, end);
  const before = members.get(key);
  members.set(key, value);
  return before !== undefined && !isDeepStrictEqual(JSON.parse(before), JSON.parse(value));
}

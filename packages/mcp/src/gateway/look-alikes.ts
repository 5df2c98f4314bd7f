import type { Fields } from "../protocol/message.js";

/**
 * A field that some servers take for another one: parsers of Go read `Name` as `name`, and of both the last one. Guards would have read the
 * other. A field that is known itself is ignored.
 */
export function lookAlikeIn(fields: Fields, known: readonly string[]): string | undefined {
  const found = Object.keys(fields).find((key) => !known.includes(key) && known.some((name) => folded(name) === folded(key)));
  return found === undefined
    ? undefined
    : `servers may read ${JSON.stringify(found)} as "${known.find((name) => folded(name) === folded(found))}"`;
}

/** Go also folds the long s and the sign for kelvin. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase();
}

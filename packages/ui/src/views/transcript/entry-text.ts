import type { Fields } from "../../text/fields.js";

const FIRST = ["v", "n", "at", "type"];
const LAST = ["prev", "hash"];

/** The line of an entry, as a transcript writes it: there is one way to do so. */
export function lineOf(entry: Fields): string {
  const rest = Object.keys(entry).filter((key) => !FIRST.includes(key) && !LAST.includes(key));
  return object(
    [...FIRST, ...rest.sort(), ...LAST].filter((key) => Object.hasOwn(entry, key)),
    entry,
  );
}

/** What an entry's hash is taken of, after the hash of the entry before: all but the hash itself, with sorted keys (RFC 8785). */
export function hashedText(entry: Fields): string {
  return object(
    Object.keys(entry)
      .filter((key) => key !== "hash")
      .sort(),
    entry,
  );
}

function object(keys: readonly string[], from: Fields): string {
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(from[key])}`).join(",")}}`;
}

function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  return object(Object.keys(value).sort(), value as Fields);
}

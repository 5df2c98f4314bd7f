import { parseToml } from "./parse-toml.js";
import { TomlCursor } from "./positions/toml-cursor.js";
import { type Place, readPlaces } from "./positions/toml-places.js";

/** The lists of `hookline.toml` whose entries can be disabled. */
export type SwitchedTable = "hook" | "rule" | "sink";

/** A key of an entry and its new value. */
export interface KeySetting {
  readonly key: "enabled" | "mode";
  readonly value: boolean | string;
}

/**
 * The text with one key set in one entry, counted from 0, and everything else unchanged. Undefined if there is no such entry. Throws for
 * text that is not TOML, and for an entry without its own lines.
 */
export function setEntryKey(text: string, table: SwitchedTable, index: number, setting: KeySetting): string | undefined {
  const parsed = parseToml(text);
  if ("message" in parsed) throw new Error(`Line ${parsed.line}, column ${parsed.column}: ${parsed.message}`);
  const list = parsed.document[table];
  const values = Array.isArray(list) ? (list[index] as unknown) : undefined;
  if (typeof values !== "object" || values === null) return undefined;
  const places = readPlaces(text).members.get(table);
  const entry = places?.members.get(String(index));
  if (!places?.isTableList || entry === undefined) throw byHand(`"${table}" is a list within brackets`, setting);
  return edited(text, { values: values as Values, entry }, setting);
}

/** The text with another value of a key that is there, and everything else unchanged. The value must be neither a table nor a list. */
export function withTomlValue(text: string, path: readonly string[], value: string): string {
  const key = path.reduce<Place | undefined>((place, name) => place?.members.get(name), readPlaces(text));
  if (key === undefined) return text;
  const { start, end } = valueSpan(text, key);
  return `${text.slice(0, start)}${value}${text.slice(end)}`;
}

/** The entry whose header is on this line, as the `line` of a rule or hook gives it. */
export function indexAtLine(text: string, table: SwitchedTable, line: number): number | undefined {
  const from = text.split("\n", line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const end = text.indexOf("\n", from);
  const entries = [...(readPlaces(text).members.get(table)?.members.values() ?? [])];
  const index = entries.findIndex(({ offset }) => offset >= from && (end < 0 || offset < end));
  return index < 0 ? undefined : index;
}

type Values = { readonly [key: string]: unknown };

function edited(text: string, { values, entry }: { values: Values; entry: Place }, setting: KeySetting): string {
  const { key, value } = setting;
  const present = entry.members.get(key);
  if (present !== undefined) {
    if (typeof values[key] === "object") throw byHand(`"${key}" is a list or a table`, setting);
    const { start, end } = valueSpan(text, present);
    return `${text.slice(0, start)}${JSON.stringify(value)}${text.slice(end)}`;
  }
  const name = typeof values.name === "string" ? entry.members.get("name") : undefined;
  const { offset } = name ?? entry;
  return withLineAfter(text, { offset, end: name === undefined ? offset : valueSpan(text, name).end }, `${key} = ${JSON.stringify(value)}`);
}

/** The position of a key's value that is neither a table nor a list. */
function valueSpan(text: string, key: Place): { readonly start: number; readonly end: number } {
  const cursor = new TomlCursor(text);
  cursor.offset = key.offset;
  cursor.readKeys();
  cursor.skipPast("=", 1);
  cursor.skipSpaces();
  const start = cursor.offset;
  if (cursor.peek() === '"' || cursor.peek() === "'") cursor.skipString();
  else cursor.skipBare();
  return { start, end: start + text.slice(start, cursor.offset).trimEnd().length };
}

/** Uses the indentation and line end of the anchor's line; its value may end on a later line. */
function withLineAfter(text: string, anchor: { readonly offset: number; readonly end: number }, line: string): string {
  const [indentation = ""] = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", anchor.offset) + 1)) ?? [];
  const newline = text.indexOf("\n", anchor.end);
  if (newline < 0) return `${text}${text.includes("\r\n") ? "\r\n" : "\n"}${indentation}${line}`;
  const lineEnd = text[newline - 1] === "\r" ? "\r\n" : "\n";
  return `${text.slice(0, newline + 1)}${indentation}${line}${lineEnd}${text.slice(newline + 1)}`;
}

function byHand(why: string, { key, value }: KeySetting): Error {
  return new Error(`${why}, which Hookline cannot edit: write ${key} = ${JSON.stringify(value)} into the entry by hand.`);
}

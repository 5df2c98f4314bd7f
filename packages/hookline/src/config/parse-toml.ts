import { parse, TomlError } from "smol-toml";
import type { Position } from "./positions/key-positions.js";

/** No valid table is that deep. */
const MAX_DEPTH = 64;

type Parsed = { readonly document: { readonly [key: string]: unknown } } | (Position & { readonly message: string });

/** The document, or what is wrong with the first invalid line. */
export function parseToml(text: string): Parsed {
  try {
    return { document: withoutDates(parse(text, { maxDepth: MAX_DEPTH })) as { readonly [key: string]: unknown } };
  } catch (error) {
    if (error instanceof TomlError) return { line: error.line, column: error.column, message: `This is not TOML: ${reasonOf(error)}.` };
    return { line: 1, column: 1, message: `This is not TOML: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

// The rest of the message quotes the lines, which may hold secrets.
function reasonOf({ message }: TomlError): string {
  const [first = ""] = message.split("\n", 1);
  const reason = first.replace(/^Invalid TOML document: /, "").replace(/\.$/, "");
  const hint = HINTS[reason];
  return hint === undefined ? reason : `${reason}; ${hint}`;
}

/** For the mistakes that are easily made in a rule. */
const HINTS: { readonly [reason: string]: string | undefined } = {
  "invalid value": "a text needs quotes",
  "unrecognised escape sequence": "write \\\\ for a backslash, or put the text in single quotes",
};

/** No key accepts a date, and a schema would treat the object as an empty table. No schema accepts a symbol. */
function withoutDates(value: unknown): unknown {
  if (value instanceof Date) return Symbol(value.toISOString());
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== "object" || value === null) return value;
  for (const [key, member] of Object.entries(value))
    Object.defineProperty(value, key, { value: withoutDates(member), enumerable: true, writable: true, configurable: true });
  return value;
}

import { createHash, type Hash } from "node:crypto";

/** The same for the same event and payload, in whatever order the keys of its objects are. */
export function hashOf(event: string, payload: unknown): string {
  const hash = createHash("sha256").update(`${event}\n`);
  if (payload !== undefined) hash.update(writeInto(hash, "", payload));
  return hash.digest("hex");
}

/** A longer text is hashed as it is, behind its length: to write a file of megabytes as JSON first takes longer than its hash. */
const LONG = 16_384;

/** JSON with its keys in order, in one pass and without a copy. Gives what is not hashed yet. */
function writeInto(hash: Hash, before: string, value: unknown): string {
  if (typeof value === "string" && value.length > LONG) {
    // UTF-8 has no half pairs: texts that differ in them alone would be the same.
    const encoding = /\p{Surrogate}/u.test(value) ? "utf16le" : "utf8";
    hash.update(`${before}text ${encoding} ${value.length} `).update(value, encoding);
    return "";
  }
  // JSON writes them as null: 1e999 is a number, and no payload's null.
  if (typeof value === "number" && !Number.isFinite(value)) return `${before}"number ${value}"`;
  if (typeof value !== "object" || value === null) return before + (JSON.stringify(value) ?? "null");
  if (Array.isArray(value)) return `${value.reduce<string>((text, item) => `${writeInto(hash, text, item)},`, `${before}[`)}]`;
  const record = value as { readonly [key: string]: unknown };
  let text = `${before}{`;
  for (const key of Object.keys(record).sort())
    if (record[key] !== undefined) text = `${writeInto(hash, `${text}${JSON.stringify(key)}:`, record[key])},`;
  return `${text}}`;
}

/** JSON from the hub with what its markers stand for: a value that a rule has changed in one place is otherwise what it was. */
export function readMarkers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(readMarkers);
  const fields = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readMarkers(member)]));
  return unmarked(fields) ?? fields;
}

/** Nothing for any other object, and for a marker that says only what was left out. */
function unmarked({ $hookline, entries, text, base64, value }: { readonly [field: string]: unknown }): unknown {
  if ($hookline === "bytes" && typeof text === "string") return new Uint8Array(Buffer.from(text));
  if ($hookline === "bytes" && typeof base64 === "string") return new Uint8Array(Buffer.from(base64, "base64"));
  if ($hookline === "number" && typeof value === "string") return Number(value);
  if ($hookline === "bigint" && typeof value === "string" && /^-?\d+$/.test(value)) return BigInt(value);
  if (!Array.isArray(entries)) return undefined;
  if ($hookline === "set") return new Set(entries);
  return $hookline === "map" && entries.every(Array.isArray) ? new Map(entries as [unknown, unknown][]) : undefined;
}

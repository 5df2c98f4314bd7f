import { createHash } from "node:crypto";

/** The same for the same event and payload, in whatever order the keys of its objects are. */
export function hashOf(event: string, payload: unknown): string {
  return createHash("sha256")
    .update(`${event}\n`)
    .update(JSON.stringify(sorted(payload)) ?? "")
    .digest("hex");
}

function sorted(value: unknown): unknown {
  // JSON writes them as null: 1e999 is a number, and no payload's null.
  if (typeof value === "number" && !Number.isFinite(value)) return `number ${value}`;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { StoredEvent } from "./store.js";

/** The checksum of an event's text, stored beside it: a flipped bit on the disk changes one of them. */
export function sumOf(body: string): number {
  return crc32(body);
}

/** A row as the database gives it. `sum` is null in rows of older stores. */
export type StoredRow = StoredEvent & { readonly sum: number | null };

export type RowReader = <Row extends StoredRow>(row: Row) => Omit<Row, "sum">;

/**
 * Reads rows whose text is what was stored. A damaged one keeps its place: its text is replaced by an envelope that is made from the columns
 * and has `damaged: true`, because half a JSON text in an answer would make the whole answer unreadable.
 */
export function createRowReader(database: DatabaseSync): RowReader {
  const columns = database.prepare("SELECT id, at, event, app, instance, session, tool FROM events WHERE place = ?");
  return ({ sum, ...row }) => (isSound(row.body, sum) ? row : { ...row, body: placeholderOf(columns.get(row.place) ?? {}) });
}

/** Whether a text is the one that was stored. Of rows without a checksum, only whether it is JSON. */
export function isSound(body: unknown, sum: number | null | undefined): body is string {
  if (typeof body !== "string") return false;
  if (sum != null) return sumOf(body) === sum;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

function placeholderOf({ id, at, event, app, instance, session, tool }: { readonly [column: string]: unknown }): string {
  const time = new Date(Number(at));
  return JSON.stringify({
    v: 2,
    id: String(id),
    seq: 0,
    at: Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString(),
    event: String(event),
    source: { app: String(app), host: "", pid: 0, instance: String(instance) },
    ...(session != null && { session: { id: String(session) } }),
    payload: tool == null ? {} : { tool: { name: String(tool), input: {} } },
    hops: [],
    damaged: true,
  });
}

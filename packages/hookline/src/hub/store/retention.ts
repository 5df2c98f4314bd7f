import type { DatabaseSync } from "node:sqlite";

const CHUNK = 5_000;
const MINUTE_MS = 60_000;

/** Deletes the oldest events until what is left is young and small enough; the rollups follow. Returns how many went. */
export function retain(database: DatabaseSync, limits: { readonly maxAgeMs?: number; readonly maxBytes?: number }, now: number): number {
  const { maxAgeMs, maxBytes } = limits;
  let deleted = maxAgeMs === undefined ? 0 : deleteOlder(database, now - maxAgeMs);
  while (maxBytes !== undefined && usedBytes(database) > maxBytes) {
    const gone = deleteOldest(database);
    if (gone === 0) break;
    deleted += gone;
  }
  return deleted;
}

/** Bytes in use: pages that deletion has freed are used again, so they do not count. */
export function usedBytes(database: DatabaseSync): number {
  const pragma = (name: string): number => Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] as number;
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
}

function deleteOlder(database: DatabaseSync, before: number): number {
  let total = 0;
  for (;;) {
    const changes = deletePlaces(database, "SELECT place FROM events WHERE at < ? ORDER BY at LIMIT ?", before, CHUNK);
    total += changes;
    if (changes === 0) break;
  }
  database.prepare("DELETE FROM counts WHERE minute < ?").run(Math.floor(before / MINUTE_MS));
  database.prepare("DELETE FROM sessions WHERE last_at < ?").run(before);
  return total;
}

function deleteOldest(database: DatabaseSync): number {
  return deletePlaces(database, "SELECT place FROM events ORDER BY place LIMIT ?", CHUNK);
}

function deletePlaces(database: DatabaseSync, select: string, ...values: number[]): number {
  const places = (database.prepare(select).all(...values) as { place: number }[]).map(({ place }) => place);
  if (places.length === 0) return 0;
  const list = JSON.stringify(places);
  database.exec("BEGIN IMMEDIATE");
  try {
    database.prepare("DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?))").run(list);
    const { changes } = database.prepare("DELETE FROM events WHERE place IN (SELECT value FROM json_each(?))").run(list);
    database.exec("COMMIT");
    return Number(changes);
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

import type { DatabaseSync } from "node:sqlite";
import type { Chain } from "./chain.js";
import { noteRemoval } from "./chain-retention.js";
import { FINE_MINUTES } from "./handler-reader.js";
import { SPAN } from "./handler-writer.js";
import { forgetOrigins } from "./origin-table.js";
import { byHour, hourOf, ROLLUP_KINDS } from "./tally.js";
import { forgetTranscriptHeads } from "./transcript-heads.js";

const CHUNK = 1_000;
/** Not a page at a time. */
const MIN_BYTES = 256 * 1024;
const MINUTE_MS = 60_000;
/** Handlers of which it is known when they fired at last, also when the events are gone. */
const MAX_EVER = 2_000;

/**
 * Deletes some of the oldest events if what is there is not young and small enough, and returns how many; nothing more to do is 0, and the
 * rollups have followed. Some at a time, because an append must not wait for all of them: 200,000 take half a minute.
 */
export function retainSome(database: DatabaseSync, chain: Chain, limits: RetentionLimits): number {
  const { maxAgeMs, maxBytes } = limits;
  const now = Date.now();
  const before = maxAgeMs === undefined ? undefined : now - maxAgeMs;
  const places = before === undefined ? [] : olderThan(database, before);
  const gone = deletePlaces(database, chain, places.length > 0 ? places : oldest(database, excessOf(database, maxBytes)));
  if (gone === 0) {
    forgetCounts(database, before, now);
    forgetTranscriptHeads(database);
    forgetOrigins(database);
  }
  return gone;
}

export interface RetentionLimits {
  readonly maxAgeMs?: number;
  readonly maxBytes?: number;
}

/** Bytes in use: pages that deletion has freed are used again, so they do not count. */
export function usedBytes(database: DatabaseSync): number {
  const pragma = (name: string): number => Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] as number;
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
}

function olderThan(database: DatabaseSync, before: number): number[] {
  const rows = database.prepare("SELECT place FROM events WHERE at < ? ORDER BY at LIMIT ?").all(before, CHUNK) as { place: number }[];
  return rows.map(({ place }) => place);
}

function excessOf(database: DatabaseSync, maxBytes: number | undefined): number {
  return maxBytes === undefined ? 0 : usedBytes(database) - maxBytes;
}

/** Fewer than it takes, so that no more go than must: what they take up in indexes shows only when they are gone. */
function oldest(database: DatabaseSync, excess: number): number[] {
  if (excess <= 0) return [];
  const places: number[] = [];
  let left = Math.max(excess / 4, MIN_BYTES);
  for (const row of database.prepare("SELECT place, octet_length(body) AS bytes FROM events ORDER BY place LIMIT ?").iterate(CHUNK)) {
    const { place, bytes: own } = row as { place: number; bytes: number };
    places.push(place);
    left -= own;
    if (left <= 0) break;
  }
  return places;
}

/** What was counted before the oldest event that is left, or before a time. */
function forgetCounts(database: DatabaseSync, before: number | undefined, now: number): void {
  const { oldest } = database.prepare("SELECT min(at) AS oldest FROM events").get() as { oldest: number | null };
  const time = Math.max(oldest ?? Number.MAX_SAFE_INTEGER, before ?? Number.MIN_SAFE_INTEGER);
  const minute = Math.floor(time / MINUTE_MS);
  database.prepare("DELETE FROM counts WHERE minute < ?").run(minute);
  const forget = database.prepare("DELETE FROM rollup WHERE kind = ? AND minute < ?");
  for (const kind of ROLLUP_KINDS) {
    forget.run(kind, minute);
    forget.run(byHour(kind), hourOf(minute));
  }
  const forgetHandlers = database.prepare("DELETE FROM handlers WHERE span = ? AND minute < ?");
  forgetHandlers.run(SPAN.minute, Math.max(minute, Math.floor(now / MINUTE_MS) - FINE_MINUTES - 1));
  forgetHandlers.run(SPAN.hour, hourOf(minute));
  database
    .prepare(
      "DELETE FROM handlers WHERE span = ?1 AND last_at < (SELECT last_at FROM handlers WHERE span = ?1 ORDER BY last_at DESC LIMIT 1 OFFSET ?2)",
    )
    .run(SPAN.ever, MAX_EVER - 1);
}

function deletePlaces(database: DatabaseSync, chain: Chain, places: readonly number[]): number {
  if (places.length === 0) return 0;
  return chain.within(() => inTransaction(database, () => deleteEvents(database, chain, places)));
}

function inTransaction<T>(database: DatabaseSync, run: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = run();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function deleteEvents(database: DatabaseSync, chain: Chain, places: readonly number[]): number {
  const list = JSON.stringify(places);
  noteRemoval(database, chain, places);
  const sessions = database
    .prepare("SELECT DISTINCT session FROM events WHERE place IN (SELECT value FROM json_each(?)) AND session IS NOT NULL")
    .all(list)
    .map(({ session }) => session);
  database.prepare("DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?))").run(list);
  const { changes } = database.prepare("DELETE FROM events WHERE place IN (SELECT value FROM json_each(?))").run(list);
  // Sessions of which nothing is left, or they would one day crowd out the events.
  database
    .prepare(
      "DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM events WHERE events.session = sessions.id)",
    )
    .run(JSON.stringify(sessions));
  return Number(changes);
}

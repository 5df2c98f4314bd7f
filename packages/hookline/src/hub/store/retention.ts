import type { DatabaseSync } from "node:sqlite";
import type { Arrivals } from "./arrivals.js";
import type { Chain } from "./chain.js";
import { noteRemoval } from "./chain-retention.js";
import type { Erasure } from "./erase.js";
import { FINE_MINUTES } from "./handler-reader.js";
import { SPAN } from "./handler-writer.js";
import { forgetOrigins } from "./origin-table.js";
import { byHour, hourOf, ROLLUP_KINDS } from "./tally.js";
import { forgetTranscriptHeads } from "./transcript-heads.js";
import { forgetUsage } from "./usage-table.js";
import { dropWordPart } from "./word-parts.js";

const CHUNK = 1_000;
/** Not a page at a time. */
const MIN_BYTES = 256 * 1024;
const MINUTE_MS = 60_000;
/** Handlers of which it is known when they fired at last, also when the events are gone. */
const MAX_EVER = 2_000;

export interface RetentionLimits {
  readonly maxAgeMs?: number;
  readonly maxBytes?: number;
}

/** What retention works on. */
export interface Retained {
  readonly database: DatabaseSync;
  readonly chain: Chain;
  readonly arrivals: Arrivals;
}

/**
 * Deletes some of the events that arrived first if what is there is not young and small enough, and returns how many; nothing more to do is 0, and
 * what was counted of them has followed. Some at a time, because an append must not wait for all of them.
 */
export function retainSome(retained: Retained, limits: RetentionLimits, chunk = CHUNK): number {
  const { database } = retained;
  const places = oldPlaces(retained, limits, chunk);
  const gone = deleteOldest(retained, places.length > 0 ? places : oldest(database, excessOf(database, limits), chunk), limits);
  if (gone === 0) forgetRemoved(retained, limits);
  return gone;
}

/** Deletes the oldest events until so many bytes are free within the limit, or none is left. */
export function makeRoom(retained: Retained, maxBytes: number, chunk: number): void {
  const { database } = retained;
  for (let gone = 1; gone > 0; ) gone = deleteOldest(retained, oldest(database, excessOf(database, { maxBytes }), chunk), { maxBytes });
}

function deleteOldest({ database, chain }: Retained, places: readonly number[], { maxBytes }: RetentionLimits): number {
  const gone = deletePlaces(database, chain, places);
  if (gone > 0) dropWordPart(database, (places.at(-1) as number) + 1, maxBytes);
  return gone;
}

/** What was counted of events, and notes of where and when they came from, go with the last of them. */
export function forgetRemoved({ database, arrivals }: Retained, { maxAgeMs, maxBytes }: RetentionLimits): void {
  const [first, now] = [firstPlace(database), Date.now()];
  forgetCounts(database, now);
  forgetUsage(database, maxAgeMs === undefined ? undefined : now - maxAgeMs, now);
  forgetTranscriptHeads(database);
  forgetOrigins(database);
  arrivals.prune(first);
  while (dropWordPart(database, first, maxBytes));
}

function firstPlace(database: DatabaseSync): number {
  const { place } = database.prepare("SELECT min(place) AS place FROM events").get() as { place: number | null };
  return place ?? Number.MAX_SAFE_INTEGER;
}

/** Bytes in use: pages that deletion has freed are used again, so they do not count. */
export function usedBytes(database: DatabaseSync): number {
  const pragma = (name: string): number => Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] as number;
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
}

function oldPlaces({ database, arrivals }: Retained, { maxAgeMs }: RetentionLimits, chunk: number): number[] {
  if (maxAgeMs === undefined) return [];
  const bound = arrivals.firstAfter(Date.now() - maxAgeMs);
  const rows = database.prepare("SELECT place FROM events WHERE place < ? ORDER BY place LIMIT ?").all(bound, chunk) as { place: number }[];
  return rows.map(({ place }) => place);
}

export function excessOf(database: DatabaseSync, { maxBytes }: RetentionLimits): number {
  return maxBytes === undefined ? 0 : usedBytes(database) - maxBytes;
}

/** Fewer than it takes, so that no more go than must: what they take up in indexes shows only when they are gone. */
function oldest(database: DatabaseSync, excess: number, chunk: number): number[] {
  if (excess <= 0) return [];
  const places: number[] = [];
  let left = Math.max(excess / 4, MIN_BYTES);
  for (const row of database.prepare("SELECT place, octet_length(body) AS bytes FROM events ORDER BY place LIMIT ?").iterate(chunk)) {
    const { place, bytes: own } = row as { place: number; bytes: number };
    places.push(place);
    left -= own;
    if (left <= 0) break;
  }
  return places;
}

/** What was counted before the oldest event that is left. */
function forgetCounts(database: DatabaseSync, now: number): void {
  const { oldest } = database.prepare("SELECT min(at) AS oldest FROM events").get() as { oldest: number | null };
  const minute = Math.floor((oldest ?? Number.MAX_SAFE_INTEGER) / MINUTE_MS);
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

export interface DeleteOptions {
  /** A person deletes a session; otherwise retention lets go of what is old. */
  readonly erased?: Erasure;
  /** In the same transaction. */
  readonly within?: () => void;
}

/** Deletes events, with what finds them, and notes it in the chain. */
export function deletePlaces(database: DatabaseSync, chain: Chain, places: readonly number[], options: DeleteOptions = {}): number {
  if (places.length === 0) return 0;
  return chain.within(() =>
    inTransaction(database, () => {
      options.within?.();
      return deleteEvents(database, chain, { places, erased: options.erased });
    }),
  );
}

/** How many events the limits would remove; for a size, as far as the texts of the events say so. */
export function countExcess({ database, arrivals }: Retained, limits: RetentionLimits): number {
  const { maxAgeMs } = limits;
  const bound = maxAgeMs === undefined ? 0 : arrivals.firstAfter(Date.now() - maxAgeMs);
  const { old } = database.prepare("SELECT count(*) AS old FROM events WHERE place < ?").get(bound) as { old: number };
  let excess = excessOf(database, limits);
  if (excess <= 0) return old;
  let count = 0;
  for (const row of database.prepare("SELECT octet_length(body) AS bytes FROM events ORDER BY place").iterate()) {
    // An event takes about twice its text: the index of words, and the others.
    excess -= 2 * (row as { bytes: number }).bytes;
    count++;
    if (excess <= 0) break;
  }
  return Math.max(old, count);
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

function deleteEvents(
  database: DatabaseSync,
  chain: Chain,
  { places, erased }: { readonly places: readonly number[]; readonly erased: Erasure | undefined },
): number {
  const list = JSON.stringify(places);
  noteRemoval(database, chain, { places, erased });
  const sessions = database
    .prepare("SELECT DISTINCT session FROM events WHERE place IN (SELECT value FROM json_each(?)) AND session IS NOT NULL")
    .all(list)
    .map(({ session }) => session);
  const { changes } = database.prepare("DELETE FROM events WHERE place IN (SELECT value FROM json_each(?))").run(list);
  database.prepare("UPDATE progress SET place = place - ? WHERE name = 'events'").run(changes);
  // Sessions of which nothing is left, or they would one day crowd out the events.
  database
    .prepare(
      "DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM events WHERE events.session = sessions.id)",
    )
    .run(JSON.stringify(sessions));
  return Number(changes);
}

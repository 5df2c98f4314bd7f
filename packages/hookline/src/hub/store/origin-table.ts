import type { DatabaseSync } from "node:sqlite";
import type { Origin } from "../ingest/origins.js";
import type { EventOrigin } from "../protocol.js";
import type { Row } from "./row.js";

export interface OriginWriter {
  /** The number of the row's origin, within the transaction of an append. */
  idOf(row: Row): number | null;
  /** Notes up to which place each origin is in use. */
  use(rows: readonly Row[], places: readonly number[]): void;
  /** A transaction was rolled back, or rows were removed: the numbers may no longer be right. */
  forget(): void;
  /** The process became known after the first events were stored. */
  identify(origin: Origin): void;
}

const MAX_EARLY = 1_000;

/** Each origin is one row, written with the first event that came from it. */
export function createOriginWriter(database: DatabaseSync): OriginWriter {
  const put = database.prepare(
    `INSERT INTO origins (key, instance, owner, description) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
       SET owner = coalesce(excluded.owner, owner), description = CASE WHEN excluded.owner IS NULL THEN description ELSE excluded.description END
     RETURNING id`,
  );
  const update = database.prepare("UPDATE origins SET owner = ?, description = ? WHERE key = ?");
  const use = database.prepare("UPDATE origins SET last_place = max(last_place, ?) WHERE id = ?");
  const known = new Map<string, { readonly id: number; readonly isIdentified: boolean }>();

  /** Processes that became known before the first event of their origin was stored: that event does not know them. */
  const early = new Map<string, Origin>();

  function idOf({ origin: given }: Row): number | null {
    if (given === null) return null;
    const origin = given.owner === undefined ? (early.get(given.key) ?? given) : given;
    const { key, instance = null, owner = null } = origin;
    const found = known.get(key);
    if (found !== undefined && (found.isIdentified || owner === null)) return found.id;
    const { id } = put.get(key, instance, owner, JSON.stringify(origin.description)) as { readonly id: number };
    known.set(key, { id, isIdentified: owner !== null });
    return id;
  }

  return {
    idOf,
    use(rows, places) {
      const last = new Map<string, { readonly row: Row; readonly place: number }>();
      // From the end: of the rows of an origin, the last one counts.
      for (let index = rows.length - 1; index >= 0; index--) {
        const row = rows[index] as Row;
        const place = places[index] as number;
        if (row.origin !== null && place > 0 && !last.has(row.origin.key)) last.set(row.origin.key, { row, place });
      }
      for (const { row, place } of last.values()) use.run(place, idOf(row));
    },
    forget: () => known.clear(),
    identify(origin) {
      const { key, owner = null, description } = origin;
      if (update.run(owner, JSON.stringify(description), key).changes > 0) return;
      early.set(key, origin);
      const [oldest] = early.keys();
      if (early.size > MAX_EARLY && oldest !== undefined) early.delete(oldest);
    },
  };
}

/** For queries of events: the origin's description as JSON, or null. */
export const ORIGIN_COLUMN = "(SELECT description FROM origins WHERE origins.id = events.origin) AS origin";

/** The first process that connected as an instance, if the event came from another one. */
export function readOtherOwner(database: DatabaseSync, id: string): EventOrigin | undefined {
  const found = database
    .prepare(
      `SELECT first.description, first.owner AS firstOwner, own.owner, own.instance IS events.instance AS isItself, own.description AS ownText
         FROM events JOIN origins AS own ON own.id = events.origin
         JOIN origins AS first ON first.instance = events.instance AND first.owner IS NOT NULL
       WHERE events.id = ? ORDER BY first.id LIMIT 1`,
    )
    .get(id) as
    | ({ readonly [column in "description" | "firstOwner" | "ownText"]: string } & {
        readonly owner: string | null;
        readonly isItself: number;
      })
    | undefined;
  if (found === undefined || found.owner === found.firstOwner) return undefined;
  const { way } = JSON.parse(found.ownText) as EventOrigin;
  // What the hub says, what it found in files, and a connection whose process could not be looked up are not another process.
  const isOther = way === "request" || (way === "connection" && (found.owner !== null || found.isItself === 0));
  return isOther ? (JSON.parse(found.description) as EventOrigin) : undefined;
}

/** The process that first connected as an instance, as `Origin.owner`. */
export function readOwner(database: DatabaseSync, instance: string): string | undefined {
  const found = database.prepare("SELECT owner FROM origins WHERE instance = ? AND owner IS NOT NULL ORDER BY id LIMIT 1").get(instance) as
    | { readonly owner: string }
    | undefined;
  return found?.owner;
}

/** Those of which retention has left no event. */
export function forgetOrigins(database: DatabaseSync): void {
  database.exec("DELETE FROM origins WHERE last_place < coalesce((SELECT min(place) FROM events), 0)");
}

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Row } from "./row.js";

const MINUTE_MS = 60_000;
const MANY = 50;
const COLUMNS = "id, at, event, app, instance, session, tool, verdict, body";
const ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** Writes batches, each in one transaction: deduplicated by id, counted, and on disk when `write` returns. Gives each row's place, 0 for one that was there already. */
export function createWriter(database: DatabaseSync): { write(rows: readonly Row[]): number[] } {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const insert = database.prepare(`INSERT INTO events (${COLUMNS}) VALUES ${ROW} ON CONFLICT (id) DO NOTHING`);
  const insertMany = database.prepare(`INSERT INTO events (${COLUMNS}) VALUES ${Array.from({ length: MANY }, () => ROW).join(", ")}`);
  // A duplicate uses up a place all the same. Given back, places have no gaps but those of retention, which feeds count by them.
  const giveBack = database.prepare("UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'events'");
  const count = database.prepare(
    "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT (minute, event) DO UPDATE SET count = count + excluded.count",
  );
  const session = database.prepare(
    `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
     first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at), events = events + excluded.events, denied = denied + excluded.denied`,
  );

  /** Many in one statement cost 0.7 µs less each than one by one. It takes all or, where one is there already, none. */
  function insertTogether(rows: readonly Row[], places: number[]): boolean {
    try {
      const last = Number(insertMany.run(...rows.flatMap(valuesOf)).lastInsertRowid);
      for (let place = last - rows.length + 1; place <= last; place++) places.push(place);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  function insertEach(rows: readonly Row[], places: number[]): void {
    for (const row of rows) {
      const { changes, lastInsertRowid } = insert.run(...valuesOf(row));
      places.push(changes === 0 ? 0 : Number(lastInsertRowid));
      if (changes === 0) giveBack.run();
    }
  }

  function insertAll(rows: readonly Row[]): number[] {
    const places: number[] = [];
    for (let start = 0; start < rows.length; start += MANY) {
      const some = rows.slice(start, start + MANY);
      if (some.length < MANY || !insertTogether(some, places)) insertEach(some, places);
    }
    const tally = new Tally();
    for (const [index, row] of rows.entries()) if (places[index] !== 0) tally.add(row);
    for (const [minute, events] of tally.counts) for (const [event, { events: number }] of events) count.run(minute, event, number);
    for (const [id, { app, firstAt, lastAt, events, denied }] of tally.sessions) session.run(id, app, firstAt, lastAt, events, denied);
    return places;
  }

  return {
    write(rows) {
      begin.run();
      try {
        const result = insertAll(rows);
        commit.run();
        return result;
      } catch (error) {
        // A full disk has SQLite roll back by itself; to do it again would hide the error.
        if (database.isTransaction) rollback.run();
        throw error;
      }
    },
  };
}

function valuesOf({ id, at, event, app, instance, session, tool, verdict, body }: Row): SQLInputValue[] {
  return [id, at, event, app, instance, session, tool, verdict, body];
}

function isDuplicate(error: unknown): boolean {
  return (error as { readonly errcode?: unknown } | null)?.errcode === SQLITE_CONSTRAINT_UNIQUE;
}

/** What a batch adds to the rollups: one row per name and minute instead of one per event. */
class Tally {
  readonly counts = new Map<number, Map<string, { events: number }>>();
  readonly sessions = new Map<string, { app: string; firstAt: number; lastAt: number; events: number; denied: number }>();

  add({ at, event, app, session, verdict }: Row): void {
    known(known(this.counts, Math.floor(at / MINUTE_MS), newMap), event, newCount).events++;
    if (session === null) return;
    const seen = known(this.sessions, session, () => ({ app, firstAt: at, lastAt: at, events: 0, denied: 0 }));
    seen.firstAt = Math.min(seen.firstAt, at);
    seen.lastAt = Math.max(seen.lastAt, at);
    seen.events++;
    if (verdict === "deny") seen.denied++;
  }
}

const newMap = (): Map<string, { events: number }> => new Map();
const newCount = (): { events: number } => ({ events: 0 });

function known<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}

import type { DatabaseSync } from "node:sqlite";
import type { Row } from "./row.js";

const MINUTE_MS = 60_000;

/** Writes batches, each in one transaction: deduplicated by id, counted, and on disk when `write` returns. Gives each row's place, 0 for one that was there already. */
export function createWriter(database: DatabaseSync): { write(rows: readonly Row[]): number[] } {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const insert = database.prepare(
    "INSERT INTO events (id, at, event, app, instance, session, tool, verdict, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  // A duplicate uses up a place all the same. Given back, places have no gaps but those of retention, which feeds count by them.
  const giveBack = database.prepare("UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'events'");
  const count = database.prepare(
    "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT (minute, event) DO UPDATE SET count = count + excluded.count",
  );
  const session = database.prepare(
    `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
     first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at), events = events + excluded.events, denied = denied + excluded.denied`,
  );

  function insertAll(rows: readonly Row[]): number[] {
    const places: number[] = [];
    const tally = new Tally();
    for (const row of rows) {
      const { changes, lastInsertRowid } = insert.run(
        row.id,
        row.at,
        row.event,
        row.app,
        row.instance,
        row.session,
        row.tool,
        row.verdict,
        row.body,
      );
      places.push(changes === 0 ? 0 : Number(lastInsertRowid));
      if (changes > 0) tally.add(row);
      else giveBack.run();
    }
    for (const { minute, event, events } of tally.counts.values()) count.run(minute, event, events);
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

/** What a batch adds to the rollups: one row per name and minute instead of one per event. */
class Tally {
  readonly counts = new Map<string, { minute: number; event: string; events: number }>();
  readonly sessions = new Map<string, { app: string; firstAt: number; lastAt: number; events: number; denied: number }>();

  add({ at, event, app, session, verdict }: Row): void {
    const minute = Math.floor(at / MINUTE_MS);
    const key = `${minute} ${event}`;
    const counted = this.counts.get(key) ?? { minute, event, events: 0 };
    counted.events++;
    this.counts.set(key, counted);
    if (session === null) return;
    const seen = this.sessions.get(session) ?? { app, firstAt: at, lastAt: at, events: 0, denied: 0 };
    seen.firstAt = Math.min(seen.firstAt, at);
    seen.lastAt = Math.max(seen.lastAt, at);
    seen.events++;
    if (verdict === "deny") seen.denied++;
    this.sessions.set(session, seen);
  }
}

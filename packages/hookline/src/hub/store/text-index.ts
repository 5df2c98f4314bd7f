import type { DatabaseSync } from "node:sqlite";

/** What is indexed in one go: short enough that an append never waits long behind it. One event may be 4 MiB. */
const CHUNK = 500;
const CHUNK_CHARS = 1024 * 1024;
/** How much of an event is searched, from its beginning: to cut 4 MiB into words takes seconds. */
const MAX_SEARCHED_CHARS = 64 * 1024;

/** The part of an event that text search knows, here and wherever else it is searched. */
export function searchedPart(body: string): string {
  return body.length <= MAX_SEARCHED_CHARS ? body : body.slice(0, MAX_SEARCHED_CHARS);
}

interface Indexed {
  readonly place: number;
  readonly body: string;
}

/** Text search follows the acknowledgement: events are indexed when nothing is waiting to be written. */
export function createTextIndex(database: DatabaseSync): { step(): boolean; unindexed(): number } {
  const position = database.prepare("SELECT place FROM progress WHERE name = 'words'");
  const advance = database.prepare("UPDATE progress SET place = ? WHERE name = 'words'");
  const next = database.prepare("SELECT place, body FROM events WHERE place > ? ORDER BY place LIMIT ?");
  const index = database.prepare("INSERT INTO words (rowid, body) VALUES (?, ?)");
  const behind = database.prepare("SELECT count(*) AS count FROM events WHERE place > ?");
  const place = (): number => (position.get() as { place: number }).place;

  return {
    /** Indexes the next events; false when there are none. */
    step() {
      const rows = upToSize(next.iterate(place(), CHUNK) as Iterable<unknown> as Iterable<Indexed>);
      const last = rows.at(-1);
      if (last === undefined) return false;
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const row of rows) index.run(row.place, searchedPart(row.body));
        advance.run(last.place);
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
      return true;
    },
    unindexed: () => (behind.get(place()) as { count: number }).count,
  };
}

function upToSize(rows: Iterable<Indexed>): Indexed[] {
  const taken: Indexed[] = [];
  let chars = 0;
  for (const row of rows) {
    taken.push(row);
    chars += row.body.length;
    if (chars >= CHUNK_CHARS) break;
  }
  return taken;
}

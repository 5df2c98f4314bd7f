import type { DatabaseSync, StatementSync } from "node:sqlite";
import { addWordPart, maxPartChars, readWordParts, type WordPart } from "./word-parts.js";

/** What is indexed in one go takes about so long: an append may wait behind it. One event may be 4 MiB. */
const STEP_MS = 12;
const MIN_ROWS = 20;
const MAX_ROWS = 1_000;
const MAX_CHARS = 512 * 1024;
/** A part is complete with so many events, or with its share of text. */
const PART_EVENTS = 100_000;
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

export interface TextIndex {
  /** Indexes the next events; false when there are none. */
  step(): boolean;
  /** How many events are stored after the last one that is indexed, and the time of that one. */
  behind(): { readonly unindexed: number; readonly until: number | undefined };
  /** Parts are small against the store's limit: the oldest one goes as a whole. */
  limitParts(maxBytes: number | undefined): void;
}

/** Text search follows the acknowledgement: events are indexed when nothing is waiting to be written. */
export function createTextIndex(database: DatabaseSync): TextIndex {
  const position = database.prepare("SELECT place FROM progress WHERE name = 'words'");
  const advance = database.prepare("UPDATE progress SET place = ? WHERE name = 'words'");
  // A damaged row may hold anything; it must not keep the rows after it from being indexed.
  const next = database.prepare(
    "SELECT place, coalesce(substr(CAST(body AS TEXT), 1, ?), '') AS body FROM events WHERE place > ? ORDER BY place LIMIT ?",
  );
  const end = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  const first = database.prepare("SELECT place FROM events ORDER BY place LIMIT 1");
  const timeOf = database.prepare("SELECT at FROM events WHERE place <= ? ORDER BY place DESC LIMIT 1");
  const grow = database.prepare("UPDATE word_parts SET chars = chars + ? WHERE first = ?");
  const place = (): number => (position.get() as { place: number }).place;
  const lastPlace = (): number => (end.get() as { seq: number } | undefined)?.seq ?? 0;
  let insert: { readonly name: string; readonly statement: StatementSync } | undefined;
  let rowsAtOnce = 250;
  let partChars = maxPartChars();

  /** The part that the events from a place on belong to. */
  function partFor(at: number): WordPart {
    const part = readWordParts(database).at(-1);
    return part === undefined || at - part.first >= PART_EVENTS || part.chars >= partChars ? addWordPart(database, at) : part;
  }

  function insertInto(name: string): StatementSync {
    if (insert?.name !== name) insert = { name, statement: database.prepare(`INSERT INTO ${name} (rowid, body) VALUES (?, ?)`) };
    return insert.statement;
  }

  /**
   * Not synced by itself: what a power failure takes back is indexed again, and the next append syncs it with its own rows. With a wait for the disk
   * in each step, steps would shrink to a few rows on a busy disk, and never catch up.
   */
  function index(rows: readonly Indexed[], last: number): void {
    try {
      database.exec("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
      const { first: own, name } = partFor(rows[0]?.place ?? 0);
      const put = insertInto(name);
      let chars = 0;
      for (const row of rows) {
        const body = searchedPart(row.body);
        put.run(row.place, body);
        chars += body.length;
      }
      grow.run(chars, own);
      advance.run(last);
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      insert = undefined;
      throw error;
    } finally {
      database.exec("PRAGMA synchronous = FULL");
    }
  }

  return {
    step() {
      const from = place();
      const rows = upToSize(next.iterate(MAX_SEARCHED_CHARS, from, rowsAtOnce) as Iterable<unknown> as Iterable<Indexed>);
      const last = rows.at(-1);
      if (last === undefined) {
        // Events that were deleted are not waited for.
        if (lastPlace() > from) advance.run(lastPlace());
        return false;
      }
      const start = performance.now();
      index(rows, last.place);
      const share = STEP_MS / Math.max(performance.now() - start, 0.1);
      rowsAtOnce = Math.round(Math.min(MAX_ROWS, Math.max(MIN_ROWS, rows.length * Math.min(share, 2))));
      return true;
    },
    behind() {
      const known = place();
      const oldest = (first.get() as { place: number } | undefined)?.place;
      if (oldest === undefined) return { unindexed: 0, until: undefined };
      const unindexed = Math.max(0, lastPlace() - Math.max(known, oldest - 1));
      return { unindexed, until: (timeOf.get(known) as { at: number } | undefined)?.at };
    },
    limitParts(maxBytes) {
      partChars = maxPartChars(maxBytes);
    },
  };
}

function upToSize(rows: Iterable<Indexed>): Indexed[] {
  const taken: Indexed[] = [];
  let chars = 0;
  for (const row of rows) {
    taken.push(row);
    chars += row.body.length;
    if (chars >= MAX_CHARS) break;
  }
  return taken;
}

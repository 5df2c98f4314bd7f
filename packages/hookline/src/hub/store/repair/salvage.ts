import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Envelope } from "@hookline/core/sinks";
import { createHandlerWriter } from "../handler-writer.js";
import { openDatabase } from "../open-database.js";
import { createRollupWriter } from "../rollup-writer.js";
import { type Row, toRow } from "../row.js";
import { isSound, sumOf } from "../row-sum.js";
import { ARRIVALS_OF_EVENTS } from "../schema.js";
import { Tally } from "../tally.js";
import { createTranscriptHeads } from "../transcript-heads.js";
import { openPages, type Pages } from "./pages.js";
import { namedNumber, type TableRow, tableRows, type Value } from "./records.js";

export interface Salvage {
  /** Events that are in the new store. */
  readonly events: number;
  /** Of these, how many are marked as damaged: their text is not what was stored. */
  readonly damaged: number;
  /** Positions of events that are lost, as far as the file tells: first and last of each run. */
  readonly lost: readonly (readonly [number, number])[];
  /** The file does not say up to which position there were events: more may be lost after the last one. */
  readonly isEndUnknown: boolean;
  /** Tables of which nothing could be read. They are empty in the new store. */
  readonly unread: readonly string[];
}

export interface SalvageOptions {
  readonly onProgress?: (pages: number, of: number) => void;
}

const BATCH = 1_000;

/**
 * Puts what can be read of a damaged store into a new one, at the same positions. Rows are taken from the pages themselves, each after its own
 * check; what is derived from events is counted again, and text is indexed when a hub opens the store.
 */
export function salvage(from: string, to: string, { onProgress = () => {} }: SalvageOptions = {}): Salvage {
  const pages = openPages(from);
  const database = openDatabase(to);
  try {
    database.exec("DELETE FROM chain_notes; DELETE FROM facts");
    const events = createEventWriter(database);
    const other = createOtherWriter(database);
    database.exec("BEGIN IMMEDIATE");
    let last = 0;
    for (const row of tableRows(pages, (page) => page % BATCH === 0 && onProgress(page, pages.count))) {
      last = Math.max(last, lastPlaceIn(row));
      if (!events.add(row)) other.add(row);
    }
    events.end();
    database.exec(`${ARRIVALS_OF_EVENTS}; UPDATE progress SET place = (SELECT count(*) FROM events) WHERE name = 'events'; COMMIT`);
    const unread = copySmallTables(from, database);
    const isEndUnknown = !keepSequence(database, last, pages);
    return { ...events.totals(), lost: lostRuns(database, namedNumber(pages, "events") ?? 0), isEndUnknown, unread };
  } finally {
    pages.close();
    database.close();
  }
}

/** The columns of `events` in the order of the file. Older rows end earlier. */
const EVENT_COLUMNS = [
  "place",
  "id",
  "at",
  "event",
  "app",
  "instance",
  "session",
  "tool",
  "verdict",
  "body",
  "asked",
  "imported",
  "host",
  "origin",
  "sum",
] as const;
type EventColumn = (typeof EVENT_COLUMNS)[number];
const OLDEST_COLUMNS = 10;

function createEventWriter(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO events (${EVENT_COLUMNS.join(", ")}) VALUES (${EVENT_COLUMNS.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`,
  );
  const addUp = createRollupWriter(database, createHandlerWriter(database));
  const heads = createTranscriptHeads(database);
  let tally = new Tally();
  let waiting = 0;
  const totals = { events: 0, damaged: 0 };

  function end(): void {
    addUp(tally);
    [tally, waiting] = [new Tally(), 0];
  }

  function count(found: FoundEvent): void {
    const row = rowOf(found);
    if (row === undefined) return void totals.damaged++;
    heads.add([row], [found.place]);
    tally.add(row);
    if (++waiting >= BATCH) end();
  }

  return {
    /** False if the row is not an event. */
    add({ rowid, values }: TableRow): boolean {
      const found = eventIn(rowid, values);
      if (found === undefined) return false;
      const { changes } = insert.run(...EVENT_COLUMNS.map((column) => found[column] as SQLInputValue));
      if (changes === 0) return true;
      totals.events++;
      count(found);
      return true;
    },
    end,
    totals: () => ({ ...totals }),
  };
}

type FoundEvent = { readonly [column in EventColumn]: Value } & {
  readonly place: number;
  readonly id: string;
  readonly at: number;
  readonly body: string;
};

/** A row of this shape is an event, and nothing else in the store has it. */
function eventIn(rowid: number, values: readonly Value[]): FoundEvent | undefined {
  if (values.length < OLDEST_COLUMNS || values.length > EVENT_COLUMNS.length || values[0] !== null || rowid < 1) return undefined;
  const [, id, at, event, app, instance, session, tool, verdict, body, asked, imported, host, origin, sum] = values;
  const texts = [id, event, app, instance, body];
  if (typeof at !== "number" || !texts.every((text) => typeof text === "string")) return undefined;
  const found = { place: rowid, id, at, event, app, instance, session, tool, verdict, body, host: host ?? null, origin: origin ?? null };
  // A row without a checksum gets one, unless its text is damaged: then it keeps one that does not fit.
  const known = typeof sum === "number" ? sum : isSound(body, null) ? sumOf(body) : -1;
  return { ...found, asked: asked ?? 0, imported: imported ?? 0, sum: known } as FoundEvent;
}

function rowOf({ body, sum, imported, host }: FoundEvent): Row | undefined {
  if (!isSound(body, sum as number)) return undefined;
  try {
    return toRow({
      envelope: JSON.parse(body) as Envelope,
      body,
      ...(imported === 1 && { isImported: true }),
      ...(typeof host === "string" && { host }),
    });
  } catch {
    return undefined;
  }
}

const LINK = /^[0-9a-f]{64}$/;

/** The chain of decisions and the origins: `hookline verify` says later which decisions are gone. */
function createOtherWriter(database: DatabaseSync) {
  const link = database.prepare("INSERT INTO chain VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  const note = database.prepare("INSERT INTO chain_notes VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  const origin = database.prepare("INSERT INTO origins VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  return {
    add({ rowid, values }: TableRow): void {
      const [first, second, third, fourth, fifth, sixth] = values;
      if (first !== null) return;
      if (values.length === 3 && typeof third === "string" && (third === "" || LINK.test(third))) {
        if (typeof second === "number" && third !== "") link.run(rowid, second, third);
        else if (typeof second === "string" && second.startsWith('{"type":')) note.run(rowid, second, third);
      } else if (values.length === 6 && typeof second === "string" && typeof fifth === "string" && typeof sixth === "number")
        origin.run(rowid, second, third as SQLInputValue, fourth as SQLInputValue, fifth, sixth);
    },
  };
}

/** Small tables that SQLite reads, as they were when the log was last folded in. It refuses those that are damaged. */
const SMALL_TABLES = ["facts", "cursors"] as const;

function copySmallTables(from: string, database: DatabaseSync): string[] {
  const missing = SMALL_TABLES.filter((table) => !isCopied(from, database, table));
  if (missing.includes("facts")) database.exec("INSERT OR IGNORE INTO facts VALUES ('store', lower(hex(randomblob(16))))");
  return missing;
}

function isCopied(from: string, database: DatabaseSync, table: (typeof SMALL_TABLES)[number]): boolean {
  // Without `immutable`, SQLite would fold the log in and remove it.
  const url = pathToFileURL(from);
  url.searchParams.set("immutable", "1");
  try {
    const damaged = new DatabaseSync(url, { readOnly: true });
    try {
      const insert = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`);
      for (const row of damaged.prepare(`SELECT * FROM ${table}`).iterate()) insert.run(...Object.values(row));
      return true;
    } finally {
      damaged.close();
    }
  } catch {
    return false;
  }
}

/** The row in which SQLite keeps the last position that it gave to an event. */
function lastPlaceIn({ values }: TableRow): number {
  const [name, place] = values;
  return values.length === 2 && name === "events" && typeof place === "number" ? place : 0;
}

/** No event takes fewer bytes. */
const LEAST_BYTES = 64;

/** Positions are never given twice, also not those of lost events. False if the last one is not known, or cannot be right. */
function keepSequence(database: DatabaseSync, last: number, { promised, pageSize }: Pages): boolean {
  const { place } = database.prepare("SELECT coalesce(max(place), 0) AS place FROM events").get() as { readonly place: number };
  if (last < place || last === 0 || last - place > (promised * pageSize) / LEAST_BYTES) return false;
  database
    .prepare("INSERT INTO sqlite_sequence SELECT 'events', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')")
    .run();
  database.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'").run(last);
  return true;
}

/** Positions have no gaps but those of sessions that were deleted; before the first, there are those that retention took and those that are lost. */
function lostRuns(database: DatabaseSync, counted: number): [number, number][] {
  const rows = database
    .prepare(
      `SELECT before + 1 AS first, place - 1 AS last FROM (SELECT place, lag(place) OVER (ORDER BY place) AS before FROM events)
         WHERE place > before + 1
       UNION ALL SELECT last + 1, seq FROM sqlite_sequence, (SELECT coalesce(max(place), 0) AS last FROM events) WHERE name = 'events' AND seq > last
       ORDER BY 1`,
    )
    .all() as unknown as { readonly first: number; readonly last: number }[];
  const runs = rows.map(({ first, last }): [number, number] => [first, last]);
  const found = database.prepare("SELECT count(*) AS count, min(place) AS first FROM events").get() as {
    count: number;
    first: number | null;
  };
  const missing = counted - found.count - runs.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (found.first !== null && missing > 0 && missing < found.first) runs.unshift([found.first - missing, found.first - 1]);
  return runs;
}

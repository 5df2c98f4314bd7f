import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { HUB_APP, ownIdOf } from "../ingest/own-source.js";
import type { Arrivals } from "./arrivals.js";
import type { Chain } from "./chain.js";
import type { HandlerWriter } from "./handler-writer.js";
import type { OriginWriter } from "./origin-table.js";
import { createRollupWriter } from "./rollup-writer.js";
import type { Row } from "./row.js";
import { sumOf } from "./row-sum.js";
import { TAKEN } from "./store.js";
import { Tally } from "./tally.js";
import { createTranscriptHeads } from "./transcript-heads.js";

const MANY = 50;
const COLUMNS = "id, at, event, app, instance, session, tool, verdict, asked, imported, host, origin, body, sum";
const ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const SQLITE_CONSTRAINT_UNIQUE = 2067;

interface WriterParts {
  readonly origins: OriginWriter;
  readonly handlers: HandlerWriter;
  readonly chain: Chain;
  readonly arrivals: Arrivals;
}

/** How far readers have got that bring events, by name. */
export type Marks = { readonly [name: string]: number };

/**
 * Writes batches, each in one transaction with its marks: deduplicated by id, chained, counted, and on disk when `write` returns. Gives each
 * row's place, 0 for one that was there already, `TAKEN` for one whose id is that of another event.
 */
export function createWriter(
  database: DatabaseSync,
  { handlers, chain, origins, arrivals }: WriterParts,
): { write(rows: readonly Row[], marks?: Marks): number[] } {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const insert = database.prepare(`INSERT INTO events (${COLUMNS}) VALUES ${ROW} ON CONFLICT (id) DO NOTHING`);
  const insertMany = database.prepare(`INSERT INTO events (${COLUMNS}) VALUES ${Array.from({ length: MANY }, () => ROW).join(", ")}`);
  // A duplicate uses up a place all the same. Given back, places have no gaps but those of retention, which feeds count by them.
  const giveBack = database.prepare("UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'events'");
  const writerOf = database.prepare(
    `SELECT app, events.instance, host, body, description ->> 'way' AS way FROM events LEFT JOIN origins ON origins.id = origin WHERE events.id = ?`,
  );
  const grow = database.prepare("UPDATE progress SET place = place + ? WHERE name = 'events'");
  const mark = database.prepare("INSERT INTO cursors VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET place = excluded.place");
  const addUp = createRollupWriter(database, handlers);
  const heads = createTranscriptHeads(database);

  function addValues(values: SQLInputValue[], row: Row): void {
    const { id, at, event, app, instance, session, tool, verdict, isAsked, isImported, host, body } = row;
    values.push(id, at, event, app, instance, session, tool, verdict);
    values.push(isAsked ? 1 : 0, isImported ? 1 : 0, host, origins.idOf(row), body, sumOf(body));
  }

  /** Many in one statement cost 0.7 µs less each than one by one. It takes all or, where one is there already, none. */
  function insertTogether(rows: readonly Row[], places: number[]): boolean {
    try {
      const values: SQLInputValue[] = [];
      for (const row of rows) addValues(values, row);
      const last = Number(insertMany.run(...values).lastInsertRowid);
      for (let place = last - rows.length + 1; place <= last; place++) places.push(place);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  function insertEach(rows: readonly Row[], places: number[]): void {
    for (const row of rows) {
      const place = insertOne(row);
      // Another host, or this machine, has used the id. A host's event must be stored with its mark, so it gets its own id here.
      places.push(place === TAKEN && row.host !== null ? insertOne(withOwnId(row)) : place);
    }
  }

  function insertOne(row: Row): number {
    const values: SQLInputValue[] = [];
    addValues(values, row);
    const { changes, lastInsertRowid } = insert.run(...values);
    if (changes > 0) return Number(lastInsertRowid);
    giveBack.run();
    return placeOfDuplicate(row);
  }

  /**
   * What comes again has the same text: any process can give another's instance as its own. The hub and the process that asks report an
   * approval under one id, and both may give the process as its source. A host's own store has let it use an id once.
   */
  function placeOfDuplicate({ id, app, instance, host, body, origin }: Row): number {
    const known = writerOf.get(id) as Pick<Row, "app" | "instance" | "host" | "body"> & { readonly way: string | null };
    if (host !== known.host) return TAKEN;
    if (host !== null) return 0;
    if (known.app === HUB_APP || app === HUB_APP) return 0;
    if (known.instance !== instance) return TAKEN;
    const isOfHub = known.way === "hub" || origin?.description.way === "hub";
    return isOfHub || known.body.trim() === body.trim() ? 0 : TAKEN;
  }

  function insertAll(rows: readonly Row[]): number[] {
    const places: number[] = [];
    for (let start = 0; start < rows.length; start += MANY) {
      const some = rows.slice(start, start + MANY);
      if (some.length < MANY || !insertTogether(some, places)) insertEach(some, places);
    }
    chain.add(rows, places);
    heads.add(rows, places);
    origins.use(rows, places);
    const tally = new Tally();
    let stored = 0;
    for (let index = 0; index < rows.length; index++) {
      const place = places[index] as number;
      if (place <= 0) continue;
      if (stored++ === 0) arrivals.add(place);
      tally.add(rows[index] as Row);
    }
    if (stored > 0) grow.run(stored);
    addUp(tally);
    return places;
  }

  return {
    write(rows, marks = {}) {
      begin.run();
      return chain.within(() => {
        try {
          const result = insertAll(rows);
          for (const [name, place] of Object.entries(marks)) mark.run(name, place);
          commit.run();
          return result;
        } catch (error) {
          // A full disk has SQLite roll back by itself; to do it again would hide the error.
          if (database.isTransaction) rollback.run();
          origins.forget();
          arrivals.forget();
          throw error;
        }
      });
    },
  };
}

function withOwnId(row: Row): Row {
  const id = ownIdOf(`${row.host} ${row.instance}`, row.id);
  return { ...row, id, body: JSON.stringify({ ...JSON.parse(row.body), id }) };
}

function isDuplicate(error: unknown): boolean {
  return (error as { readonly errcode?: unknown } | null)?.errcode === SQLITE_CONSTRAINT_UNIQUE;
}

import type { DatabaseSync } from "node:sqlite";
import type { SessionRow } from "../protocol.js";
import { hasWords, type Source, sourceOf, sourceOfSession } from "./conditions.js";
import { ORIGIN_COLUMN } from "./origin-table.js";
import { createRowReader, type RowReader, type StoredRow } from "./row-sum.js";
import { type Order, type Stretch, scan, stretchOf, whereWithin } from "./scan.js";
import { readSession, readSessions, type SessionChoice } from "./session-table.js";
import {
  charsOf,
  crossesColons,
  type EventFilter,
  MAX_PAGE_CHARS,
  type StoredEvent,
  type TimeFilter,
  type TimePage,
  type TimePlace,
} from "./store.js";
import { readInTimeOrder, type TimeOrder } from "./time-order.js";
import { readWordParts, type WordPart } from "./word-parts.js";

const MINUTE_MS = 60_000;
/** A session of more events is looked for among all others, because to sort its events for each page would take longer. */
const MAX_SORTED = 20_000;
const COLUMNS = `place, events.body, events.sum, events.imported, events.host, ${ORIGIN_COLUMN}`;

/** What a search has found in its share of time, and where it is to go on. */
export interface Found {
  readonly events: readonly StoredEvent[];
  readonly rest?: Stretch | undefined;
}

/** How much a search is to give, and where one goes on that was not at its end. */
export interface Share {
  readonly limit: number;
  readonly maxChars?: number | undefined;
  readonly rest?: Stretch | undefined;
}

export interface Reader {
  page(filter: EventFilter, before: number | undefined, share: Share): Found;
  after(place: number, filter: EventFilter, share: Share): Found;
  inTime(filter: TimeFilter, options: TimeOrder): TimePage;
  family(session: string, limit: number): string[];
  get(id: string): StoredEvent | undefined;
  idsThatBegin(begins: string, limit: number): string[];
  sessions(limit: number, of: SessionChoice): SessionRow[];
  session(id: string): SessionRow | undefined;
  watchedSince(sessions: readonly string[]): { readonly [session: string]: number };
  counts(since: number): Record<string, number>;
  lastPlace(): number;
}

export function createReader(database: DatabaseSync): Reader {
  const readRow = createRowReader(database);

  function select(filter: EventFilter, bound: Bound | undefined, order: Order, share: Share): Found {
    if (hasWords(filter)) return { events: search(filter, bound, order, share) };
    // A search in shares keeps to its way, also where retention has since left fewer names.
    const names = share.rest === undefined ? namesOf(database, filter) : undefined;
    if (names !== undefined) return { events: selectFrom(latestOf(names, bound, { order, limit: share.limit }), bound, order, share) };
    const { session } = filter;
    if (session !== undefined && share.rest === undefined && isShort(session))
      return { events: selectFrom(sourceOfSession({ ...filter, session }), bound, order, share) };
    const source = sourceOf(filter);
    return source.conditions.length === 0 ? { events: selectFrom(source, bound, order, share) } : lookThrough(filter, bound, order, share);
  }

  function isShort(session: string): boolean {
    const found = database.prepare("SELECT events FROM sessions WHERE id = ?").get(session) as { readonly events: number } | undefined;
    return (found?.events ?? 0) <= MAX_SORTED;
  }

  function lookThrough(filter: EventFilter, bound: Bound | undefined, order: Order, share: Share): Found {
    const { limit, maxChars = MAX_PAGE_CHARS } = share;
    const { sql, values } = whereWithin(filter);
    const query = database.prepare(`SELECT ${COLUMNS} FROM events WHERE ${sql} ORDER BY place ${order} LIMIT ?`);
    const events: StoredEvent[] = [];
    let chars = 0;
    const whole = share.rest === undefined ? boundedBy(stretchOf(database, filter, order), bound) : stillToGo(share.rest, order);
    const rest = scan(whole, order, (stretch) => {
      const rows = query.iterate(...values(stretch), limit - events.length) as Iterable<unknown> as Iterable<StoredRow>;
      const found = upToSize(rows, readRow, maxChars - chars);
      events.push(...found);
      chars += charsOf(found);
      return events.length >= limit || chars >= maxChars;
    });
    return { events, rest };
  }

  /** Forwards, what came meanwhile is part of it: who gets less than a page has everything. */
  function stillToGo({ first, last }: Stretch, order: Order): Stretch {
    return { first, last: order === "ASC" ? lastPlace() : last };
  }

  // Also when retention has taken the newest away: places are never given twice.
  function lastPlace(): number {
    return (database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get() as { seq: number } | undefined)?.seq ?? 0;
  }

  /** One part of the text index after the other, from the end that the page begins with, until it is full. */
  function search(filter: EventFilter, bound: Bound | undefined, order: Order, { limit, maxChars = MAX_PAGE_CHARS }: Share): StoredEvent[] {
    const found: StoredEvent[] = [];
    let chars = 0;
    for (const name of partsWithin(readWordParts(database), bound, order)) {
      const events = selectFrom(sourceOf(filter, name), bound, order, { limit: limit - found.length, maxChars: maxChars - chars });
      found.push(...events);
      chars += charsOf(events);
      if (found.length >= limit || chars >= maxChars) break;
    }
    return found;
  }

  function selectFrom(source: Source, bound: Bound | undefined, order: Order, { limit, maxChars }: Share): StoredEvent[] {
    const { from, place, conditions } = source;
    if (bound !== undefined) conditions.push({ sql: `${place} ${bound.than} ?`, values: [bound.place] });
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
    const values = conditions.flatMap((condition) => condition.values);
    const query = database.prepare(`SELECT ${COLUMNS} FROM ${from} ${where} ORDER BY ${place} ${order} LIMIT ?`);
    return upToSize(query.iterate(...values, limit) as Iterable<unknown> as Iterable<StoredRow>, readRow, maxChars);
  }

  const inTime: Reader["inTime"] = (filter, options) => readInTimeOrder(database, filter, options);

  /** The cursor is a place all the same: one that is gone was the oldest, and nothing comes after it. */
  function pageOfSession({ session, ...rest }: EventFilter & { readonly session: string }, limit: number, before: number | undefined) {
    const find = "SELECT at, place FROM events WHERE place = ?";
    const from = before === undefined ? undefined : (database.prepare(find).get(before) as unknown as TimePlace | undefined);
    if (before !== undefined && from === undefined) return [];
    return inTime({ ...rest, sessions: [session] }, { order: "newest", limit, from }).events;
  }

  return {
    page(filter, before, share) {
      const { session } = filter;
      if (session !== undefined) return { events: pageOfSession({ ...filter, session }, share.limit, before) };
      return select(filter, before === undefined ? undefined : { than: "<", place: before }, "DESC", share);
    },
    inTime,
    family: (session, limit) => readFamily(database, session, limit),
    after: (place, filter, share) => select(filter, { than: ">", place }, "ASC", share),
    get(id) {
      const query = database.prepare(`SELECT place, body, sum, host, imported, ${ORIGIN_COLUMN} FROM events WHERE id = ?`);
      const row = query.get(id) as unknown as StoredRow | undefined;
      return row && readRow(row);
    },
    idsThatBegin(begins, limit) {
      const query = database.prepare("SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id LIMIT ?");
      return (query.all(begins, `${begins}\u{10ffff}`, limit) as unknown as { readonly id: string }[]).map(({ id }) => id);
    },
    sessions: (limit, of) => readSessions(database, limit, of),
    session: (id) => readSession(database, id),
    watchedSince(sessions) {
      const first = database.prepare("SELECT min(at) AS at FROM events WHERE session = ? AND imported = 0");
      const found = sessions.map((session) => [session, (first.get(session) as { readonly at: number | null }).at] as const);
      return Object.fromEntries(found.flatMap(([session, at]) => (at === null ? [] : [[session, at]])));
    },
    counts(since) {
      const rows = database
        .prepare("SELECT event, sum(count) AS count FROM counts WHERE minute >= ? GROUP BY event")
        .all(Math.floor(since / MINUTE_MS));
      return Object.fromEntries((rows as unknown as { event: string; count: number }[]).map(({ event, count }) => [event, count]));
    },
    lastPlace,
  };
}

/** As many as fit: a page of a thousand events may be 4 GB of JSON. */
function upToSize(rows: Iterable<StoredRow>, readRow: RowReader, maxChars = MAX_PAGE_CHARS): StoredEvent[] {
  const taken: StoredEvent[] = [];
  let chars = 0;
  for (const stored of rows) {
    const row = readRow(stored);
    taken.push(row);
    chars += row.body.length;
    if (chars >= maxChars) break;
  }
  return taken;
}

interface Bound {
  readonly than: "<" | ">";
  readonly place: number;
}

function boundedBy({ first, last }: Stretch, bound: Bound | undefined): Stretch {
  if (bound?.than === "<") return { first, last: Math.min(last, bound.place - 1) };
  return { first: Math.max(first, (bound?.place ?? 0) + 1), last };
}

/** The parts that can have events on that side of a place. */
function partsWithin(parts: readonly WordPart[], bound: Bound | undefined, order: Order): string[] {
  const within = parts.filter(({ first }, index) => {
    if (bound === undefined) return true;
    return bound.than === "<" ? first < bound.place : (parts[index + 1]?.first ?? Number.MAX_SAFE_INTEGER) > bound.place;
  });
  const names = within.map(({ name }) => name);
  return order === "ASC" ? names : names.reverse();
}

/** A page of each name, of which one page is taken: `tool:*` of a million events in 1 ms instead of 1 s, as nothing is sorted but these. */
function latestOf(
  names: readonly string[],
  bound: Bound | undefined,
  { order, limit }: { readonly order: string; readonly limit: number },
): Source {
  const [than, at] = bound === undefined ? ["", []] : [`AND place ${bound.than} ?`, [bound.place]];
  const one = `SELECT place FROM (SELECT place FROM events WHERE event = ? ${than} ORDER BY place ${order} LIMIT ?)`;
  const sql = names.length === 0 ? "0" : `place IN (${names.map(() => one).join(" UNION ALL ")})`;
  return { from: "events", place: "place", conditions: [{ sql, values: names.flatMap((name) => [name, ...at, limit]) }] };
}

/**
 * A session, then those that it started, then theirs. A worker's id is often that of a session of its own; one that names another parent is
 * not taken for it.
 */
function readFamily(database: DatabaseSync, session: string, limit: number): string[] {
  const rows = database
    .prepare(
      `WITH RECURSIVE family (id) AS (
         SELECT ?
         UNION SELECT sessions.id FROM family JOIN sessions ON sessions.parent = family.id
         UNION SELECT sessions.id FROM family
           JOIN events ON events.session = family.id AND events.event >= 'worker:' AND events.event < 'worker;'
           JOIN sessions ON sessions.id = CASE WHEN json_valid(events.body) THEN events.body ->> '$.payload.worker.id' END
           WHERE sessions.parent IS NULL OR sessions.parent = family.id
       ) SELECT id FROM family LIMIT ?`,
    )
    .all(session, limit);
  return rows.map(({ id }) => String(id));
}

/** With more, one query for each would take longer than sorting what they have together. */
const MAX_NAMES = 64;

/** The names of stored events that a filter asks for, where it asks for nothing but names; not of too many. A step through the index each. */
function namesOf(database: DatabaseSync, { events, ...rest }: EventFilter): readonly string[] | undefined {
  if (events === undefined || events.includes("*") || Object.values(rest).some((value) => value !== undefined)) return undefined;
  if (!events.some((event) => event.endsWith(":*"))) return undefined;
  const next = database.prepare("SELECT event FROM events WHERE event > ? AND event < ? ORDER BY event LIMIT 1");
  const names = new Set<string>();
  for (const event of events) {
    if (!event.endsWith(":*")) names.add(event);
    else
      for (const name of within(event)) {
        names.add(name);
        if (names.size > MAX_NAMES) return undefined;
      }
  }
  return [...names];

  function* within(pattern: string): Iterable<string> {
    const prefix = pattern.slice(0, -1);
    for (let last = prefix; ; ) {
      const found = next.get(last, `${prefix}\u{10ffff}`) as { readonly event: string } | undefined;
      if (found === undefined) return;
      last = found.event;
      if (crossesColons(pattern) || !last.slice(prefix.length).includes(":")) yield last;
    }
  }
}

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SessionRow } from "../protocol.js";
import { namesOf } from "./names-of.js";
import { toSearch } from "./search-phrases.js";
import { crossesColons, type EventFilter, MAX_PAGE_CHARS, type StoredEvent } from "./store.js";

const MINUTE_MS = 60_000;
/** What requests used, or, where nobody told of them, what turns used. */
const SESSION_COLUMNS = `id, app, instance AS source, agent, parent AS parentId, first_at AS firstAt, last_at AS lastAt, events, denied, asked,
  coalesce(llm_in, turn_in) AS inputTokens, coalesce(llm_out, turn_out) AS outputTokens, coalesce(llm_cost, turn_cost) AS costUsd`;

export interface Reader {
  page(filter: EventFilter, limit: number, before: number | undefined): StoredEvent[];
  after(place: number, filter: EventFilter, limit: number, maxChars?: number): StoredEvent[];
  get(id: string): StoredEvent | undefined;
  sessions(limit: number, parent?: string): SessionRow[];
  counts(since: number): Record<string, number>;
  lastPlace(): number;
}

export function createReader(database: DatabaseSync): Reader {
  function select(filter: EventFilter, bound: Bound | undefined, order: "ASC" | "DESC", { limit, maxChars }: PageSize): StoredEvent[] {
    const names = namesOf(database, filter);
    const { from, place, conditions } = names === undefined ? sourceOf(filter) : latestOf(names, bound, { order, limit });
    if (bound !== undefined) conditions.push({ sql: `${place} ${bound.than} ?`, values: [bound.place] });
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
    const values = conditions.flatMap((condition) => condition.values);
    const query = database.prepare(`SELECT place, events.body FROM ${from} ${where} ORDER BY ${place} ${order} LIMIT ?`);
    return upToSize(query.iterate(...values, limit) as Iterable<unknown> as Iterable<StoredEvent>, maxChars);
  }

  return {
    page: (filter, limit, before) => select(filter, before === undefined ? undefined : { than: "<", place: before }, "DESC", { limit }),
    after: (place, filter, limit, maxChars) => select(filter, { than: ">", place }, "ASC", { limit, maxChars }),
    get: (id) => database.prepare("SELECT place, body FROM events WHERE id = ?").get(id) as unknown as StoredEvent | undefined,
    sessions(limit, parent) {
      const [where, values] = parent === undefined ? ["", []] : ["WHERE parent = ?", [parent]];
      const rows = database.prepare(`SELECT ${SESSION_COLUMNS} FROM sessions ${where} ORDER BY last_at DESC LIMIT ?`).all(...values, limit);
      return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))) as unknown as SessionRow[];
    },
    counts(since) {
      const rows = database
        .prepare("SELECT event, sum(count) AS count FROM counts WHERE minute >= ? GROUP BY event")
        .all(Math.floor(since / MINUTE_MS));
      return Object.fromEntries((rows as unknown as { event: string; count: number }[]).map(({ event, count }) => [event, count]));
    },
    // Also when retention has taken the newest away: places are never given twice.
    lastPlace: () =>
      (database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get() as { seq: number } | undefined)?.seq ?? 0,
  };
}

/** As many as fit: a page of a thousand events may be 4 GB of JSON. */
function upToSize(rows: Iterable<StoredEvent>, maxChars = MAX_PAGE_CHARS): StoredEvent[] {
  const taken: StoredEvent[] = [];
  let chars = 0;
  for (const row of rows) {
    taken.push(row);
    chars += row.body.length;
    if (chars >= maxChars) break;
  }
  return taken;
}

interface PageSize {
  readonly limit: number;
  readonly maxChars?: number | undefined;
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

interface Bound {
  readonly than: "<" | ">";
  readonly place: number;
}

interface Source {
  readonly from: string;
  readonly place: string;
  readonly conditions: Condition[];
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
 * A search for nothing but text goes through the index from the end it is wanted from, and stops when it has enough: 70 ms instead of
 * 240 for words that are in each of a million events. With other conditions it might go through all of it, so there the matches come first.
 */
function sourceOf(filter: EventFilter): Source {
  const { text, ...rest } = filter;
  const words = text === undefined ? "" : toSearch(text);
  const others = conditionsOf(rest);
  if (words === "") return { from: "events", place: "place", conditions: others };
  if (others.length === 0) {
    const found: Condition = { sql: "words MATCH ?", values: [words] };
    return { from: "words CROSS JOIN events ON place = words.rowid", place: "words.rowid", conditions: [found] };
  }
  const found: Condition = { sql: "place IN (SELECT rowid FROM words WHERE words MATCH ?)", values: [words] };
  return { from: "events", place: "place", conditions: [...others, found] };
}

function conditionsOf(filter: Omit<EventFilter, "text">): Condition[] {
  const { events, session, source, tool, decision, since, until } = filter;
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: SQLInputValue[]): void => void conditions.push({ sql, values });
  if (events !== undefined && !events.includes("*")) conditions.push(eventsCondition(events, decision));
  if (session !== undefined) add("session = ?", session);
  if (source !== undefined) add("(app = ? OR instance = ?)", source, source);
  if (tool !== undefined) add("tool = ?", tool);
  // What has an index stands as in that index: a value that is bound is not known to be in it.
  if (decision === "ask") add("asked = 1");
  else if (decision === "deny") add("verdict = 'deny'");
  else if (decision !== undefined) add("verdict = ?", decision);
  if (since !== undefined) add("at >= ?", since);
  if (until !== undefined) add("at < ?", until);
  return conditions;
}

/**
 * `tool:*` is a range of names, so that the index serves it. `+event` keeps SQLite from taking that index: those that were asked about,
 * and mostly those that were denied, are fewer than those of a name. 1 ms instead of 1.5 s with a million events.
 */
function eventsCondition(events: readonly string[], decision: EventFilter["decision"]): Condition {
  const parts = events.map((event): Condition => {
    if (!event.endsWith(":*")) return { sql: decision === "ask" ? "+event = ?" : "event = ?", values: [event] };
    const column = decision === "ask" || decision === "deny" ? "+event" : "event";
    const prefix = event.slice(0, -1);
    const values = [prefix, `${prefix}\u{10ffff}`];
    if (crossesColons(event)) return { sql: `(${column} >= ? AND ${column} < ?)`, values };
    return { sql: `(${column} >= ? AND ${column} < ? AND instr(substr(event, ?), ':') = 0)`, values: [...values, prefix.length + 1] };
  });
  return { sql: parts.length === 0 ? "0" : `(${parts.map(({ sql }) => sql).join(" OR ")})`, values: parts.flatMap(({ values }) => values) };
}

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SessionRow } from "../protocol.js";
import { crossesColons, type EventFilter, MAX_PAGE_CHARS, type StoredEvent } from "./store.js";

const MINUTE_MS = 60_000;
/** What requests used, or, where nobody told of them, what turns used. */
const SESSION_COLUMNS = `id, app, instance AS source, agent, first_at AS firstAt, last_at AS lastAt, events, denied, asked,
  coalesce(llm_in, turn_in) AS inputTokens, coalesce(llm_out, turn_out) AS outputTokens, coalesce(llm_cost, turn_cost) AS costUsd`;

export interface Reader {
  page(filter: EventFilter, limit: number, before: number | undefined): StoredEvent[];
  after(place: number, filter: EventFilter, limit: number, maxChars?: number): StoredEvent[];
  get(id: string): StoredEvent | undefined;
  sessions(limit: number): SessionRow[];
  counts(since: number): Record<string, number>;
  lastPlace(): number;
}

export function createReader(database: DatabaseSync): Reader {
  function select(filter: EventFilter, bound: Bound | undefined, order: "ASC" | "DESC", { limit, maxChars }: PageSize): StoredEvent[] {
    const { from, place, conditions } = sourceOf(filter);
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
    sessions(limit) {
      const rows = database.prepare(`SELECT ${SESSION_COLUMNS} FROM sessions ORDER BY last_at DESC LIMIT ?`).all(limit);
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

/**
 * A search for nothing but text goes through the index from the end it is wanted from, and stops when it has enough: 70 ms instead of
 * 240 for words that are in each of a million events. With other conditions it might go through all of it, so there the matches come first.
 */
function sourceOf(filter: EventFilter): { from: string; place: string; conditions: Condition[] } {
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
  if (events !== undefined && !events.includes("*")) conditions.push(eventsCondition(events));
  if (session !== undefined) add("session = ?", session);
  if (source !== undefined) add("(app = ? OR instance = ?)", source, source);
  if (tool !== undefined) add("tool = ?", tool);
  if (decision !== undefined) add("verdict = ?", decision);
  if (since !== undefined) add("at >= ?", since);
  if (until !== undefined) add("at < ?", until);
  return conditions;
}

/** `tool:*` is a range of names, so that the index serves it. */
function eventsCondition(events: readonly string[]): Condition {
  const parts = events.map((event): Condition => {
    if (!event.endsWith(":*")) return { sql: "event = ?", values: [event] };
    const prefix = event.slice(0, -1);
    const values = [prefix, `${prefix}\u{10ffff}`];
    if (crossesColons(event)) return { sql: "(event >= ? AND event < ?)", values };
    return { sql: "(event >= ? AND event < ? AND instr(substr(event, ?), ':') = 0)", values: [...values, prefix.length + 1] };
  });
  return { sql: parts.length === 0 ? "0" : `(${parts.map(({ sql }) => sql).join(" OR ")})`, values: parts.flatMap(({ values }) => values) };
}

/** Each word as a quoted prefix: what a person types is never FTS5's own syntax. */
function toSearch(text: string): string {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(" ");
}

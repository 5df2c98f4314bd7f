import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { crossesColons, type EventFilter, MAX_PAGE_CHARS, type SessionSummary, type StoredEvent } from "./store.js";

const MINUTE_MS = 60_000;

export interface Reader {
  page(filter: EventFilter, limit: number, before: number | undefined): StoredEvent[];
  after(place: number, filter: EventFilter, limit: number): StoredEvent[];
  get(id: string): StoredEvent | undefined;
  sessions(limit: number): SessionSummary[];
  counts(since: number): Record<string, number>;
  lastPlace(): number;
}

export function createReader(database: DatabaseSync): Reader {
  function select(filter: EventFilter, extra: Condition[], order: "ASC" | "DESC", limit: number): StoredEvent[] {
    const conditions = [...conditionsOf(filter), ...extra];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
    const values = conditions.flatMap((condition) => condition.values);
    const rows = database.prepare(`SELECT place, body FROM events ${where} ORDER BY place ${order} LIMIT ?`).iterate(...values, limit);
    return upToSize(rows as Iterable<unknown> as Iterable<StoredEvent>);
  }

  return {
    page: (filter, limit, before) => select(filter, before === undefined ? [] : [{ sql: "place < ?", values: [before] }], "DESC", limit),
    after: (place, filter, limit) => select(filter, [{ sql: "place > ?", values: [place] }], "ASC", limit),
    get: (id) => database.prepare("SELECT place, body FROM events WHERE id = ?").get(id) as unknown as StoredEvent | undefined,
    sessions(limit) {
      const rows = database
        .prepare("SELECT id, app, first_at AS firstAt, last_at AS lastAt, events, denied FROM sessions ORDER BY last_at DESC LIMIT ?")
        .all(limit);
      return rows as unknown as SessionSummary[];
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
function upToSize(rows: Iterable<StoredEvent>): StoredEvent[] {
  const taken: StoredEvent[] = [];
  let chars = 0;
  for (const row of rows) {
    taken.push(row);
    chars += row.body.length;
    if (chars >= MAX_PAGE_CHARS) break;
  }
  return taken;
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function conditionsOf(filter: EventFilter): Condition[] {
  const { events, session, source, tool, decision, since, until, text } = filter;
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: SQLInputValue[]): void => void conditions.push({ sql, values });
  if (events !== undefined && !events.includes("*")) conditions.push(eventsCondition(events));
  if (session !== undefined) add("session = ?", session);
  if (source !== undefined) add("(app = ? OR instance = ?)", source, source);
  if (tool !== undefined) add("tool = ?", tool);
  if (decision !== undefined) add("verdict = ?", decision);
  if (since !== undefined) add("at >= ?", since);
  if (until !== undefined) add("at < ?", until);
  const words = text === undefined ? "" : toSearch(text);
  if (words !== "") add("place IN (SELECT rowid FROM words WHERE words MATCH ?)", words);
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

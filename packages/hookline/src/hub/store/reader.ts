import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { EventFilter, SessionSummary } from "./store.js";

/** A stored event before it is parsed. */
export interface StoredRow {
  readonly place: number;
  readonly body: string;
}

const MINUTE_MS = 60_000;

export interface Reader {
  page(filter: EventFilter, limit: number, before: number | undefined): StoredRow[];
  after(place: number, filter: EventFilter, limit: number): StoredRow[];
  get(id: string): StoredRow | undefined;
  sessions(limit: number): SessionSummary[];
  counts(since: number): Record<string, number>;
}

export function createReader(database: DatabaseSync): Reader {
  function select(filter: EventFilter, extra: Condition[], order: "ASC" | "DESC", limit: number): StoredRow[] {
    const conditions = [...conditionsOf(filter), ...extra];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
    const values = conditions.flatMap((condition) => condition.values);
    return database
      .prepare(`SELECT place, body FROM events ${where} ORDER BY place ${order} LIMIT ?`)
      .all(...values, limit) as unknown as StoredRow[];
  }

  return {
    page: (filter, limit, before) => select(filter, before === undefined ? [] : [{ sql: "place < ?", values: [before] }], "DESC", limit),
    after: (place, filter, limit) => select(filter, [{ sql: "place > ?", values: [place] }], "ASC", limit),
    get: (id) => database.prepare("SELECT place, body FROM events WHERE id = ?").get(id) as unknown as StoredRow | undefined,
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
  };
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
    return { sql: "(event >= ? AND event < ?)", values: [prefix, `${prefix}\u{10ffff}`] };
  });
  return { sql: parts.length === 0 ? "0" : `(${parts.map(({ sql }) => sql).join(" OR ")})`, values: parts.flatMap(({ values }) => values) };
}

/** Each word as a quoted prefix: what a person types is never FTS5's own syntax. */
function toSearch(text: string): string {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(" ");
}

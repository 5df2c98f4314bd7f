import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { allConditions, type Condition, hasWords } from "./conditions.js";
import { ORIGIN_COLUMN } from "./origin-table.js";
import { createRowReader, type RowReader, type StoredRow } from "./row-sum.js";
import { MAX_PAGE_CHARS, type StoredEvent, type TimeFilter, type TimePage, type TimePlace } from "./store.js";
import { readWordParts } from "./word-parts.js";

export interface TimeOrder {
  readonly order: "newest" | "oldest";
  readonly limit: number;
  readonly from?: TimePlace | undefined;
}

/** With more, one query for each would be too long for SQLite. */
const MAX_APART = 200;

type TimedEvent = StoredRow & TimePlace;

/** Events of sessions in the order of their own times: what was spooled or sent late stands where it happened. */
export function readInTimeOrder(database: DatabaseSync, { sessions, ...filter }: TimeFilter, { order, limit, from }: TimeOrder): TimePage {
  const [direction, than] = order === "newest" ? ["DESC", "<"] : ["ASC", ">"];
  const sorted = `ORDER BY at ${direction}, place ${direction} LIMIT ?`;
  const bound = boundOf(from, than);
  const parts = hasWords(filter) ? readWordParts(database).map(({ name }) => name) : [];
  const conditions = allConditions(filter, parts);
  const isPlain = conditions.length === 0 && sessions.length > 1 && sessions.length <= MAX_APART;
  const all = isPlain ? [pageOfEach(sessions, bound, { sorted, limit })] : [...conditions, ofSessions(sessions), ...bound];
  const where = all.map(({ sql }) => sql).join(" AND ");
  const query = database.prepare(`SELECT place, at, body, sum, host, ${ORIGIN_COLUMN} FROM events WHERE ${where} ${sorted}`);
  const rows = query.iterate(...all.flatMap(({ values }) => values), limit) as Iterable<unknown> as Iterable<TimedEvent>;
  return pageOf(rows, limit, createRowReader(database));
}

function boundOf(from: TimePlace | undefined, than: string): Condition[] {
  return from === undefined ? [] : [{ sql: `(at, place) ${than} (?, ?)`, values: [from.at, from.place] }];
}

function ofSessions(sessions: readonly string[]): Condition {
  if (sessions.length === 1) return { sql: "session = ?", values: sessions };
  return { sql: "session IN (SELECT value FROM json_each(?))", values: [JSON.stringify(sessions)] };
}

/** A page of each session, of which one page is taken: the index has each in order, and nothing is sorted but these. */
function pageOfEach(
  sessions: readonly string[],
  bound: readonly Condition[],
  { sorted, limit }: { readonly sorted: string; readonly limit: number },
): Condition {
  const more = bound.map(({ sql }) => ` AND ${sql}`).join("");
  const one = `SELECT place FROM (SELECT place FROM events WHERE session = ?${more} ${sorted})`;
  const values = sessions.flatMap((session): SQLInputValue[] => [session, ...bound.flatMap((condition) => condition.values), limit]);
  return { sql: `place IN (${sessions.map(() => one).join(" UNION ALL ")})`, values };
}

/** As many as fit. */
function pageOf(rows: Iterable<TimedEvent>, limit: number, readRow: RowReader): TimePage {
  const events: StoredEvent[] = [];
  let last: TimePlace | undefined;
  let chars = 0;
  for (const row of rows) {
    const { place, at, body, host, origin } = readRow(row);
    events.push({ place, at, body, ...(host !== null && { host }), ...(origin !== null && { origin }) });
    last = { at, place };
    chars += body.length;
    if (chars >= MAX_PAGE_CHARS) break;
  }
  return { events, next: events.length < limit && chars < MAX_PAGE_CHARS ? undefined : last };
}

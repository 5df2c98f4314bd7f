import type { DatabaseSync } from "node:sqlite";
import { type Histogram, readHistogram } from "@hookline/core/internal/text";
import { SPAN } from "./handler-writer.js";
import { hourOf } from "./tally.js";

/** Minutes since 1970, both inclusive; and whose handlers: an app's, or the hub's (`HUB`). */
export interface HandlerRange {
  readonly fromMinute: number;
  readonly untilMinute: number;
  readonly app: string;
}

/** What a handler did on an event in that time, and when at last, however long ago. */
export interface HandlerTotals {
  readonly owner: string;
  readonly handler: string;
  readonly event: string;
  readonly calls: number;
  readonly denied: number;
  readonly asked: number;
  readonly failed: number;
  readonly lastAt: number;
  readonly times: Histogram;
}

/** Longer than this back, a range begins on the hour: nothing finer is kept. */
export const FINE_MINUTES = 24 * 60;

const ROWS = "SELECT owner, handler, event, calls, denied, asked, failed, last_at, times FROM handlers";
// Whole hours by the hour, so that a week is some hundred rows a handler; the minutes before the first of them by the minute.
const QUERY = `
  SELECT owner, handler, event, sum(calls) AS calls, sum(denied) AS denied, sum(asked) AS asked, sum(failed) AS failed,
    max(last_at) AS lastAt, group_concat(times, ' ') AS times
  FROM (
    ${ROWS} WHERE span = ${SPAN.minute} AND minute >= :from AND minute < :minutesEnd AND app = :app
    UNION ALL ${ROWS} WHERE span = ${SPAN.hour} AND minute >= :firstHour AND minute <= :until AND app = :app
    UNION ALL SELECT owner, handler, event, 0, 0, 0, 0, last_at, '' FROM handlers WHERE span = ${SPAN.ever} AND app = :app
  ) GROUP BY owner, handler, event`;

export function readHandlers(database: DatabaseSync, { fromMinute, untilMinute: until, app }: HandlerRange): HandlerTotals[] {
  const from = until - fromMinute > FINE_MINUTES ? hourOf(fromMinute) : fromMinute;
  const firstHour = hourOf(from + 59);
  const rows = database.prepare(QUERY).all({ from, until, firstHour, minutesEnd: Math.min(firstHour, until + 1), app });
  return rows.map((row) => ({ ...row, times: readHistogram(String(row.times)) }) as unknown as HandlerTotals);
}

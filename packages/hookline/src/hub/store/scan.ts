import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { conditionsByPlace } from "./conditions.js";
import type { EventFilter } from "./store.js";

export type Order = "ASC" | "DESC";

/** Places, both inclusive. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/** How many places are looked through at once: few first, because most filters find enough there. */
const [FIRST_LENGTH, MAX_LENGTH] = [5_000, 50_000];
/** After this time a search gives way to what waits to be written. */
const SHARE_MS = 50;
/** Of more events than this in a range of times, it is not looked up where they stand. */
const MAX_TIMES = 100_000;

/**
 * Goes through a stretch in order, until `take` has enough or the share of time is used up. Gives what is left of the stretch, or `undefined` when
 * the search is over. A filter that few of ten million events match takes seconds, in which appends must not wait.
 */
export function scan(whole: Stretch, order: Order, take: (stretch: Stretch) => boolean): Stretch | undefined {
  const end = performance.now() + SHARE_MS;
  let { first, last } = whole;
  for (let length = FIRST_LENGTH; first <= last; length = Math.min(2 * length, MAX_LENGTH)) {
    const next: Stretch =
      order === "DESC" ? { first: Math.max(first, last - length + 1), last } : { first, last: Math.min(last, first + length - 1) };
    if (take(next)) return undefined;
    if (order === "DESC") last = next.first - 1;
    else first = next.last + 1;
    if (performance.now() >= end && first <= last) return { first, last };
  }
  return undefined;
}

/** Where the events of a filter can stand at all. */
export function stretchOf(database: DatabaseSync, { since, until }: EventFilter, order: Order): Stretch {
  // One look each: asked for both at once, SQLite reads all of an index.
  const all = database.prepare("SELECT (SELECT min(place) FROM events) AS first, (SELECT max(place) FROM events) AS last").get() as {
    first: number | null;
    last: number | null;
  };
  const whole = { first: all.first ?? 1, last: all.last ?? 0 };
  if (since === undefined && until === undefined) return whole;
  const times = database
    .prepare(
      `SELECT min(place) AS first, max(place) AS last, count(*) AS count
         FROM (SELECT place FROM events INDEXED BY events_by_time WHERE at >= ? AND at < ? LIMIT ${MAX_TIMES})`,
    )
    .get(since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER) as {
    first: number | null;
    last: number | null;
    count: number;
  };
  if (times.count >= MAX_TIMES) return whole;
  return { first: times.first ?? whole.last + 1, last: order === "ASC" ? whole.last : (times.last ?? whole.last) };
}

/** What a search through one stretch asks for. */
export function whereWithin(filter: EventFilter): { readonly sql: string; values({ first, last }: Stretch): SQLInputValue[] } {
  const conditions = conditionsByPlace(filter);
  return {
    sql: ["place BETWEEN ? AND ?", ...conditions.map(({ sql }) => sql)].join(" AND "),
    values: ({ first, last }) => [first, last, ...conditions.flatMap(({ values }) => values)],
  };
}

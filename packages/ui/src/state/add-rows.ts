import { type FeedRow, foldFlows } from "./feed-row.js";

interface Limits {
  readonly most: number;
  /** Those of a session are in the order of their times; all others in that of their places. */
  readonly isByTime?: boolean;
  /** There are older ones that are not here yet: a late one among them comes with them. */
  readonly hasOlder?: boolean;
  /** Between the two some are missing: what is kept would only look complete. */
  readonly isTorn: boolean;
}

interface Added {
  readonly rows: readonly FeedRow[];
  /** Where older ones are to be asked for, if some were given up. */
  readonly cursor?: number;
}

/** The rows that are kept with those that came below them: the newest of them, without a gap. */
export function addRows(
  kept: readonly FeedRow[],
  came: readonly FeedRow[],
  { most, isTorn, isByTime = false, hasOlder = false }: Limits,
): Added {
  const before = isTorn ? [] : kept;
  const all = isByTime ? inTime(before, came, hasOlder) : foldFlows(came, before);
  const rows = all.length > most ? all.slice(-most) : all;
  const cursor = isTorn || rows !== all ? rows[0]?.place : undefined;
  return { rows, ...(cursor !== undefined && { cursor }) };
}

function inTime(kept: readonly FeedRow[], came: readonly FeedRow[], hasOlder: boolean): readonly FeedRow[] {
  const [oldest] = kept;
  const own = oldest === undefined || !hasOlder ? came : came.filter((row) => byTime(oldest, row) <= 0);
  return own.every((row, index) => byTime(own[index - 1] ?? kept.at(-1) ?? row, row) <= 0)
    ? foldFlows(own, kept)
    : foldFlows([...kept, ...own].sort(byTime));
}

/** Clocks of one millisecond: as they came. */
function byTime(a: FeedRow, b: FeedRow): number {
  return a.at - b.at || a.place - b.place;
}

import { type FeedRow, foldFlows } from "./feed-row.js";

interface Limits {
  readonly most: number;
  /** Between the two some are missing: what is kept would only look complete. */
  readonly isTorn: boolean;
}

interface Added {
  readonly rows: readonly FeedRow[];
  /** Where older ones are to be asked for, if some were given up. */
  readonly cursor?: number;
}

/** The rows that are kept with those that came below them: the newest of them, without a gap. */
export function addRows(kept: readonly FeedRow[], came: readonly FeedRow[], { most, isTorn }: Limits): Added {
  const all = foldFlows(came, isTorn ? [] : kept);
  const rows = all.length > most ? all.slice(-most) : all;
  const cursor = isTorn || rows !== all ? rows[0]?.place : undefined;
  return { rows, ...(cursor !== undefined && { cursor }) };
}

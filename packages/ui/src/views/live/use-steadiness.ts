import { useRef } from "preact/hooks";
import type { Stand } from "../../parts/use-virtual.js";
import type { FeedRow } from "../../state/feed-row.js";

interface Layout {
  readonly order: "newest" | "tail";
  readonly rowHeight: number;
}

interface Shown extends Layout {
  readonly rows: readonly FeedRow[];
}

const EDGE_PX = 40;

/** At the live edge the list follows; elsewhere what is read stays where it is, also when rows come in above it or go. */
export function useSteadiness(rows: readonly FeedRow[], { order, rowHeight }: Layout): (stand: Stand) => number {
  const last = useRef<Shown>(undefined);
  return (stand) => {
    const before = last.current;
    if (before?.rows === rows && before.order === order && before.rowHeight === rowHeight) return stand.offset;
    // Its size is not known yet: the next drawing finds it.
    if (stand.viewport > 0) last.current = { rows, order, rowHeight };
    return settledOffset(stand, before, { rows, order, rowHeight });
  };
}

/** Where to stand with the rows as they are now, after having stood somewhere with those of before. */
export function settledOffset({ offset, viewport }: Stand, before: Shown | undefined, { rows, order, rowHeight }: Shown): number {
  const end = rows.length * rowHeight - viewport;
  if (before?.order !== order) return order === "tail" ? end : 0;
  const wasAtEnd = before.rows.length * before.rowHeight - viewport - offset < EDGE_PX;
  if (order === "tail" && wasAtEnd) return end;
  if (order === "newest" && offset <= 0) return 0;
  const top = Math.floor(offset / before.rowHeight);
  const seen = before.rows[top]?.id;
  const now = rows.findIndex(({ id }) => id === seen);
  return now < 0 ? offset : offset - top * before.rowHeight + now * rowHeight;
}

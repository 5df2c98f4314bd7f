import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { isNarrow } from "../../parts/narrow.js";
import { useVirtual } from "../../parts/use-virtual.js";
import type { FeedRow } from "../../state/feed-row.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { FeedLine } from "./feed-line.js";

interface FeedListProps {
  /** In the order of their places. */
  readonly rows: readonly FeedRow[];
  readonly order: "newest" | "tail";
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
}

const HEIGHT = { wide: 28, narrow: 50 };
const EDGE_PX = 40;

/** A list of any length that stands still under the reader's eyes while it grows. */
export function FeedList({ rows, order, chosen, onChoose, hasOlder, onOlder }: FeedListProps) {
  const rowHeight = isNarrow.value ? HEIGHT.narrow : HEIGHT.wide;
  const shown = useMemo(() => (order === "newest" ? rows.toReversed() : rows), [rows, order]);
  const { scroller, items, height, scrollTo } = useVirtual({ count: shown.length, rowHeight });
  useSteadyScroll(scroller, shown, { order, rowHeight });

  const index = shown.findIndex(({ id }) => id === chosen);
  const step = (by: number) => {
    const next = shown[Math.min(shown.length - 1, Math.max(0, index + by))];
    if (next === undefined) return;
    onChoose(next.id);
    scrollTo(shown.indexOf(next));
  };
  useShortcuts("Live", [
    { keys: ["j", "ArrowDown"], label: "Next event", run: () => step(1) },
    { keys: ["k", "ArrowUp"], label: "Event before", run: () => step(index < 0 ? 1 : -1) },
  ]);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null || !hasOlder) return;
    const toOlder = order === "newest" ? element.scrollHeight - element.scrollTop - element.clientHeight : element.scrollTop;
    if (toOlder < rowHeight * 20) onOlder();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="feed" ref={scroller} onScroll={onScroll} tabIndex={0} aria-label="Events">
      <ol class="feed-rows" style={{ height: `${height}px` }}>
        {items.map(({ index: at, start }) => {
          const row = shown[at];
          return row === undefined ? null : (
            <li key={row.id} class="feed-row" style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}>
              <FeedLine row={row} isChosen={row.id === chosen} onChoose={onChoose} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface Steadiness {
  readonly order: "newest" | "tail";
  readonly rowHeight: number;
}

/** At the live edge the list follows; elsewhere what is read stays where it is, also when rows come in above it. */
function useSteadyScroll(
  scroller: { readonly current: HTMLDivElement | null },
  shown: readonly FeedRow[],
  { order, rowHeight }: Steadiness,
) {
  const before = useRef<{ readonly first: string | undefined; readonly order: string; readonly isAtEnd: boolean }>(undefined);
  const element = scroller.current;
  const isAtEnd = element === null || element.scrollHeight - element.scrollTop - element.clientHeight < EDGE_PX;
  useLayoutEffect(() => {
    const now = scroller.current;
    if (now === null) return;
    const last = before.current;
    before.current = { first: shown[0]?.id, order, isAtEnd };
    if (order === "tail" && (isAtEnd || last?.order !== order)) now.scrollTop = now.scrollHeight;
    else if (last?.order !== order) now.scrollTop = 0;
    else if (now.scrollTop > 0 && last.first !== undefined)
      now.scrollTop +=
        Math.max(
          0,
          shown.findIndex(({ id }) => id === last.first),
        ) * rowHeight;
  }, [shown, order]);
}

import { useMemo, useState } from "preact/hooks";
import { isNarrow } from "../../parts/narrow.js";
import { useVirtual } from "../../parts/use-virtual.js";
import { VirtualRows } from "../../parts/virtual-rows.js";
import type { FeedRow } from "../../state/feed-row.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { focusRow } from "../event/choose-event.js";
import { allRows, callRows } from "./call-rows.js";
import { FeedLine } from "./feed-line.js";
import { useSteadiness } from "./use-steadiness.js";

interface FeedListProps {
  readonly rows: readonly FeedRow[];
  /** One row for each call. */
  readonly isByCall: boolean;
  readonly order: "newest" | "tail";
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
}

const HEIGHT = { wide: 28, narrow: 50 };
const HEADS = [
  ["time", "Time"],
  ["app", "Agent"],
  ["session", "Session"],
  ["event", "Event"],
  ["verdict", "Decision"],
  ["detail", "What, and why"],
] as const;
const idOf = ({ id }: FeedRow): string => id;

/** A list of any length that stands still under the reader's eyes while it grows. */
export function FeedList({ rows, isByCall, order, chosen, onChoose, hasOlder, onOlder }: FeedListProps) {
  const rowHeight = isNarrow.value ? HEIGHT.narrow : HEIGHT.wide;
  const shown = useMemo(
    () => (isByCall ? callRows(rows, order, chosen) : allRows(rows, order)),
    [rows, order, isByCall, isByCall && chosen],
  );
  const settle = useSteadiness(shown, { order, rowHeight });
  const virtual = useVirtual({ count: shown.length, rowHeight, settle });
  const { scroller, scrollTo } = virtual;
  const [isAway, setAway] = useState(false);

  const step = (by: number) => {
    const index = shown.findIndex(({ id }) => id === chosen);
    const next = index < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, index + by));
    const row = shown[next];
    if (row === undefined) return;
    if (row.id !== chosen) onChoose(row.id);
    scrollTo(next);
    focusRow(row.id);
  };
  useShortcuts("Live", [
    { keys: ["j", "ArrowDown"], label: "Next event; Enter goes into it", run: () => step(1) },
    { keys: ["k", "ArrowUp"], label: "Event before", run: () => step(-1) },
    { keys: ["u"], label: "To the newest", run: () => toNewest() },
  ]);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const [above, below] = [element.scrollTop, virtual.height - element.scrollTop - element.clientHeight];
    const [toNewest, toOlder] = order === "newest" ? [above, below] : [below, above];
    setAway(toNewest > rowHeight * 2);
    if (hasOlder && toOlder < rowHeight * 20) onOlder();
  };
  const toNewest = () => scroller.current?.scrollTo({ top: order === "newest" ? 0 : virtual.height });
  return (
    <div class="feed-box">
      <div class="feed-head" aria-hidden="true">
        {HEADS.map(([name, label]) => (
          <span key={name} class={`feed-${name}`}>
            {name === "detail" ? (
              <>
                <span class="feed-roomy">{label}</span>
                <span class="feed-from">Agent, what, why (session: open it)</span>
              </>
            ) : (
              label
            )}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="feed" ref={scroller} onScroll={onScroll} tabIndex={0} aria-label="Events">
        <VirtualRows
          rows={shown}
          virtual={virtual}
          idOf={idOf}
          draw={(row) => <FeedLine row={row} isChosen={row.id === chosen} onChoose={onChoose} />}
        />
      </section>
      {isAway && (
        <button type="button" class={`button to-newest ${order}`} onClick={toNewest}>
          {order === "newest" ? "↑" : "↓"} Newest
        </button>
      )}
    </div>
  );
}

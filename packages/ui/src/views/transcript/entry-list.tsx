import { useEffect } from "preact/hooks";
import { Icon } from "../../parts/icon.js";
import { isNarrow } from "../../parts/narrow.js";
import { useVirtual } from "../../parts/use-virtual.js";
import { VirtualRows } from "../../parts/virtual-rows.js";
import type { FeedRow } from "../../state/feed-row.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { FeedLine } from "../live/feed-line.js";
import type { OpenedFile } from "./read-file.js";

interface EntryListProps {
  readonly file: OpenedFile;
  readonly rows: readonly FeedRow[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  /** The event to bring into view; a new object for each time. */
  readonly wanted: { readonly place: number } | undefined;
}

const HEIGHT = { wide: 28, narrow: 50 };
const idOf = ({ place }: FeedRow): string => String(place);

/** The events of a file from its beginning on, each with the numbers of the entries or lines it stands in. */
export function EntryList({ file, rows, chosen, onChoose, wanted }: EntryListProps) {
  const virtual = useVirtual({ count: rows.length, rowHeight: isNarrow.value ? HEIGHT.narrow : HEIGHT.wide });
  const { scroller, scrollTo } = virtual;
  const step = (by: number) => {
    const index = rows.findIndex(({ id }) => id === chosen);
    const next = index < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, index + by));
    const row = rows[next];
    if (row === undefined) return;
    onChoose(row.id);
    scrollTo(next);
  };
  useShortcuts("Transcript", [
    { keys: ["j", "ArrowDown"], label: "Next event", run: () => step(1) },
    { keys: ["k", "ArrowUp"], label: "Event before", run: () => step(-1) },
  ]);
  useEffect(() => {
    const at = wanted === undefined ? -1 : rowAt(rows, wanted.place);
    if (at >= 0) scrollTo(at);
  }, [wanted]);
  const broken = rows[file.broken === undefined ? -1 : rowAt(rows, file.broken)];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="feed" ref={scroller} tabIndex={0} aria-label="Events">
      <VirtualRows
        rows={rows}
        virtual={virtual}
        idOf={idOf}
        draw={(row) => (
          <div class={`entry-row ${row === broken ? "is-broken" : ""}`}>
            <EntryNumber numbers={file.numbers[row.place - 1] ?? []} isFlow={row.count > 1} isBroken={row === broken} />
            <FeedLine row={row} isChosen={row.id === chosen} onChoose={onChoose} />
          </div>
        )}
      />
    </section>
  );
}

/** The row that an event stands in: a flow of small ones has the place of its first. */
function rowAt(rows: readonly FeedRow[], place: number): number {
  return rows.findIndex((row) => row.place <= place && place < row.place + row.count);
}

interface EntryNumberProps {
  readonly numbers: readonly number[];
  /** It is the first of several events in one row. */
  readonly isFlow: boolean;
  readonly isBroken: boolean;
}

/** Where in the file it stands: `12`, or `12–15` where it takes several entries. */
function EntryNumber({ numbers, isFlow, isBroken }: EntryNumberProps) {
  const [first, last] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const text = isFlow ? `${first}…` : first === last ? String(first) : `${first}–${last}`;
  return (
    <span class="entry-number mono dim" title={isBroken ? "The chain is broken here" : `In the file: ${numbers.join(", ")}`}>
      {isBroken && (
        <>
          <Icon name="warn" size={12} />
          <span class="unseen">broken here, </span>
        </>
      )}
      {text}
    </span>
  );
}

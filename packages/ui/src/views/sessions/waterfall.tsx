import { isNarrow } from "../../parts/narrow.js";
import { useVirtual } from "../../parts/use-virtual.js";
import { VirtualRows } from "../../parts/virtual-rows.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { Ruler } from "./ruler.js";
import { SpanLine } from "./span-line.js";
import type { SpanRow, TimeRange } from "./span-tree.js";

interface WaterfallProps {
  readonly rows: readonly SpanRow[];
  readonly range: TimeRange;
  readonly chosen: string | undefined;
  readonly onChoose: (eventId: string) => void;
  readonly onZoom: (range: TimeRange | undefined) => void;
}

const HEIGHT = { wide: 24, narrow: 42 };
const idOf = ({ span }: SpanRow): string => span.id;

/** Spans as bars below each other. Only those that are seen are drawn, so ten thousand cost what thirty do. */
export function Waterfall({ rows, range, chosen, onChoose, onZoom }: WaterfallProps) {
  const rowHeight = isNarrow.value ? HEIGHT.narrow : HEIGHT.wide;
  const virtual = useVirtual({ count: rows.length, rowHeight });
  const step = (by: number) => {
    const at = rows.findIndex(({ span }) => span.eventId === chosen);
    const next = Math.min(rows.length - 1, Math.max(0, at + by));
    const row = rows[next];
    if (row === undefined) return;
    onChoose(row.span.eventId);
    virtual.scrollTo(next);
  };
  useShortcuts("Timeline", [
    { keys: ["j", "ArrowDown"], label: "Next span", run: () => step(1) },
    { keys: ["k", "ArrowUp"], label: "Span before", run: () => step(-1) },
  ]);
  return (
    <>
      <Legend />
      <Ruler range={range} onZoom={onZoom} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="feed waterfall" ref={virtual.scroller} tabIndex={0} aria-label="Spans">
        <VirtualRows
          rows={rows}
          virtual={virtual}
          idOf={idOf}
          draw={(row) => <SpanLine row={row} range={range} isChosen={row.span.eventId === chosen} onChoose={onChoose} />}
        />
      </section>
    </>
  );
}

function Legend() {
  return (
    <ul class="legend" aria-label="Colours">
      {(["turn", "tool", "worker", "gate", "other"] as const).map((kind) => (
        <li key={kind}>
          <span class={`swatch bar-${kind}`} />
          {kind === "worker" ? "subagent" : kind === "gate" ? "waiting at a gate" : kind}
        </li>
      ))}
    </ul>
  );
}

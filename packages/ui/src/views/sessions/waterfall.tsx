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
  /** When the session began. */
  readonly origin: number;
  readonly chosen: string | undefined;
  readonly onChoose: (eventId: string) => void;
  readonly onZoom: (range: TimeRange | undefined) => void;
}

const HEIGHT = { wide: 24, narrow: 42 };
const idOf = ({ span }: SpanRow): string => span.id;

/** Spans as bars below each other. Only those that are seen are drawn, so ten thousand cost what thirty do. */
export function Waterfall({ rows, range, origin, chosen, onChoose, onZoom }: WaterfallProps) {
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
      <Ruler range={range} origin={origin} onZoom={onZoom} />
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

const KINDS = [
  ["turn", "turn"],
  ["tool", "tool"],
  ["worker", "subagent"],
  ["gate", "at a gate"],
  ["person", "waiting for a person"],
  ["other", "other"],
] as const;

function Legend() {
  return (
    <ul class="legend" aria-label="Colours">
      {KINDS.map(([kind, text]) => (
        <li key={kind}>
          <span class={`swatch bar-${kind}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}

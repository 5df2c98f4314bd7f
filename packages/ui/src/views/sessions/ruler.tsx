import { useRef, useState } from "preact/hooks";
import type { TimeRange } from "./span-tree.js";
import { niceStep, ticksBetween, tickText } from "./tick-text.js";

const TICKS = 5;
const MIN_SHARE = 0.005;
/** From here on a text may not fit before the end. */
const LATE_SHARE = 0.75;

interface RulerProps {
  readonly range: TimeRange;
  /** When the session began: times are read from there. */
  readonly origin: number;
  readonly onZoom: (range: TimeRange) => void;
}

/** The time along the top. A stretch that is dragged over fills the width; the buttons and keys do the same. */
export function Ruler({ range, origin, onZoom }: RulerProps) {
  const track = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const shareAt = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    return box === undefined ? 0 : Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const stepMs = niceStep((range.to - range.from) / TICKS);
  const ticks = ticksBetween(range.from - origin, range.to - origin, stepMs);
  const end = () => {
    setDrag(undefined);
    if (drag === undefined || Math.abs(drag.to - drag.from) < MIN_SHARE) return;
    const total = range.to - range.from;
    onZoom({ from: range.from + Math.min(drag.from, drag.to) * total, to: range.from + Math.max(drag.from, drag.to) * total });
  };
  return (
    <div class="ruler" aria-hidden="true">
      <div
        ref={track}
        class="ruler-track mono"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: shareAt(event), to: shareAt(event) });
        }}
        onPointerMove={(event) => drag !== undefined && setDrag({ ...drag, to: shareAt(event) })}
        onPointerUp={end}
      >
        {ticks.map((at) => {
          const share = (at + origin - range.from) / (range.to - range.from);
          return (
            <span key={at} class={`tick ${share > LATE_SHARE ? "is-late" : ""}`} style={{ left: `${share * 100}%` }}>
              {tickText(at, stepMs)}
            </span>
          );
        })}
        {drag !== undefined && (
          <span
            class="ruler-drag"
            style={{ left: `${Math.min(drag.from, drag.to) * 100}%`, width: `${Math.abs(drag.to - drag.from) * 100}%` }}
          />
        )}
      </div>
    </div>
  );
}

import { Button } from "../../parts/button.js";
import { useShortcuts } from "../../state/shortcuts.js";
import type { TimeRange } from "./span-tree.js";

interface ZoomProps {
  readonly range: TimeRange;
  readonly whole: TimeRange;
  readonly onZoom: (range: TimeRange | undefined) => void;
}

export function ZoomButtons({ range, whole, onZoom }: ZoomProps) {
  const scale = (factor: number) => {
    const middle = (range.from + range.to) / 2;
    const half = Math.max(0.5, ((range.to - range.from) / 2) * factor);
    if (half * 2 >= whole.to - whole.from) onZoom(undefined);
    else onZoom({ from: middle - half, to: middle + half });
  };
  const move = (share: number) => {
    const by = (range.to - range.from) * share;
    onZoom({ from: range.from + by, to: range.to + by });
  };
  useShortcuts("Timeline", [
    { keys: ["+", "="], label: "Closer", run: () => scale(0.5) },
    { keys: ["-"], label: "Further away", run: () => scale(2) },
    { keys: ["0"], label: "All of it", run: () => onZoom(undefined) },
    { keys: ["h", "ArrowLeft"], label: "Earlier", run: () => move(-0.25) },
    { keys: ["l", "ArrowRight"], label: "Later", run: () => move(0.25) },
  ]);
  return (
    <fieldset class="button-group" aria-label="Zoom">
      <Button label="Closer" onClick={() => scale(0.5)}>
        +
      </Button>
      <Button label="Further away" onClick={() => scale(2)}>
        −
      </Button>
      <Button onClick={() => onZoom(undefined)}>All</Button>
    </fieldset>
  );
}

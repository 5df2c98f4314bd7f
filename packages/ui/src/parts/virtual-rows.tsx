import type { ComponentChildren } from "preact";
import { useFocusKept } from "./use-focus-kept.js";
import { useSlots } from "./use-slots.js";
import type { Virtual } from "./use-virtual.js";

interface VirtualRowsProps<T> {
  readonly rows: readonly T[];
  readonly virtual: Virtual;
  readonly idOf: (row: T) => string;
  readonly draw: (row: T) => ComponentChildren;
}

/** The drawn rows stand in a list of their own that is moved as a whole: a row that comes in above changes none of the others. */
export function VirtualRows<T>({ rows, virtual: { scroller, from, to, rowHeight, height }, idOf, draw }: VirtualRowsProps<T>) {
  const seen = rows.slice(from, to);
  const slots = useSlots(seen.map(idOf));
  useFocusKept(scroller);
  return (
    <div class="feed-rows" style={{ height: `${height}px` }}>
      <ol style={{ transform: `translateY(${from * rowHeight}px)`, "--row-height": `${rowHeight}px` }}>
        {seen.map((row, at) => (
          <li key={slots[at]} class="feed-row" data-id={idOf(row)}>
            {draw(row)}
          </li>
        ))}
      </ol>
    </div>
  );
}

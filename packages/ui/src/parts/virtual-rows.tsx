import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
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

/** Elements go from row to row. One that has the focus does not take it along: when its row is no longer drawn, the list gets it. */
function useFocusKept(scroller: RefObject<HTMLElement | null>): void {
  const focused = useRef<string>(undefined);
  useLayoutEffect(() => {
    const list = scroller.current;
    const remember = ({ target }: FocusEvent): void => {
      focused.current = rowOf(target);
    };
    list?.addEventListener("focusin", remember);
    return () => list?.removeEventListener("focusin", remember);
  }, [scroller]);
  useLayoutEffect(() => {
    const [list, active] = [scroller.current, document.activeElement];
    if (list === null || active === list || !list.contains(active)) return;
    if (rowOf(active) !== focused.current) list.focus({ preventScroll: true });
  });
}

function rowOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>("[data-id]")?.dataset.id : undefined;
}

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Elements go from row to row. One that has the focus does not take it along: when its row is no longer drawn, the list gets it. */
export function useFocusKept(scroller: RefObject<HTMLElement | null>): void {
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

import { elementScroll, observeElementOffset, observeElementRect, type VirtualItem, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

interface VirtualOptions {
  readonly count: number;
  readonly rowHeight: number;
  readonly overscan?: number;
}

interface VirtualRows {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly items: readonly VirtualItem[];
  readonly height: number;
  scrollTo(index: number): void;
}

/** The rows that are seen of a list of any length, all of one height. */
export function useVirtual({ count, rowHeight, overscan = 12 }: VirtualOptions): VirtualRows {
  const scroller = useRef<HTMLDivElement>(null);
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  const kept = useRef<Virtualizer<HTMLDivElement, HTMLElement>>(undefined);
  const options = {
    count,
    overscan,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined),
  };
  kept.current ??= new Virtualizer(options);
  const virtualizer = kept.current;
  virtualizer.setOptions(options);
  const measured = useRef(rowHeight);
  if (measured.current !== rowHeight) {
    measured.current = rowHeight;
    virtualizer.measure();
  }
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    scroller,
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
  };
}

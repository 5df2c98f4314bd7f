import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

export interface Stand {
  /** How far it is scrolled, and how much of it is seen, in pixels. */
  readonly offset: number;
  readonly viewport: number;
}

interface VirtualOptions {
  readonly count: number;
  readonly rowHeight: number;
  readonly overscan?: number;
  /** Told where the list stands, says where it is to stand with the rows as they are now. */
  readonly settle?: (stand: Stand) => number;
}

export interface Virtual {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The rows to draw: from this index up to, and without, the other. */
  readonly from: number;
  readonly to: number;
  readonly rowHeight: number;
  readonly height: number;
  scrollTo(index: number): void;
}

/**
 * The rows that are seen of a list of any length, all of one height. Where the list stands is known from its scroll events and never read from
 * the element after a change: that would lay out the page in the middle of drawing it, and once more with the rows of the new place.
 */
export function useVirtual({ count, rowHeight, overscan = 6, settle }: VirtualOptions): Virtual {
  const scroller = useRef<HTMLDivElement>(null);
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  const kept = useRef<Virtualizer<HTMLDivElement, HTMLElement>>(undefined);
  const drawn = useRef({ from: 0, to: 0 });
  const options = {
    count,
    overscan,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    // It also tells when scrolling begins and ends, where nothing else is seen than before.
    onChange: (changed: Virtualizer<HTMLDivElement, HTMLElement>) => {
      const { from, to } = stretchOf(changed);
      if (from !== drawn.current.from || to !== drawn.current.to) draw(undefined);
    },
  };
  kept.current ??= new Virtualizer(options);
  const virtualizer = kept.current;
  virtualizer.setOptions(options);
  const measured = useRef(rowHeight);
  if (measured.current !== rowHeight) {
    measured.current = rowHeight;
    virtualizer.measure();
  }
  const height = count * rowHeight;
  const before = virtualizer.scrollOffset ?? 0;
  const viewport = virtualizer.scrollRect?.height ?? 0;
  const offset = Math.max(0, Math.min(settle?.({ offset: before, viewport }) ?? before, height - viewport));
  if (viewport > 0) virtualizer.scrollOffset = offset;
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => {
    if (offset !== before && viewport > 0) scroller.current?.scrollTo({ top: offset });
  });
  drawn.current = stretchOf(virtualizer);
  return { scroller, ...drawn.current, rowHeight, height, scrollTo: (index) => virtualizer.scrollToIndex(index, { align: "auto" }) };
}

function stretchOf(virtualizer: Virtualizer<HTMLDivElement, HTMLElement>): { from: number; to: number } {
  const indexes = virtualizer.getVirtualIndexes();
  return { from: indexes[0] ?? 0, to: (indexes.at(-1) ?? -1) + 1 };
}

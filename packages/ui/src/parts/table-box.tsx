import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { pluralText } from "../text/amounts.js";

interface TableBoxProps {
  readonly label: string;
  readonly box?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself where the window is too narrow for it, and says how many columns are out of sight. */
export function TableBox({ label, box, children }: TableBoxProps) {
  const own = useRef<HTMLElement>(null);
  const table = box ?? own;
  const hidden = useHiddenColumns(table);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="table-box" tabIndex={0} aria-label={label} ref={table}>
      {hidden > 0 && (
        <p class="more-columns dim" aria-hidden="true">
          {pluralText(hidden, "more column")} →
        </p>
      )}
      <table>{children}</table>
    </section>
  );
}

/** How many columns lie beyond the right edge of what scrolls: the box, or the view around it. */
function useHiddenColumns(box: RefObject<HTMLElement | null>): number {
  const [hidden, setHidden] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const scroller = element.parentElement?.classList.contains("view-scroll") === true ? element.parentElement : element;
    const count = (): void => {
      const edge = scroller.getBoundingClientRect().right;
      // A column of which less than half is seen is one more to scroll to.
      const heads = [...element.querySelectorAll("thead th")].map((head) => head.getBoundingClientRect());
      setHidden(heads.filter(({ left, width }) => width > 0 && left + width / 2 > edge).length);
    };
    const observer = new ResizeObserver(count);
    observer.observe(element);
    for (const inner of element.querySelectorAll("table")) observer.observe(inner);
    scroller.addEventListener("scroll", count, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener("scroll", count);
    };
  }, []);
  return hidden;
}

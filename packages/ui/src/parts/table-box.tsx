import type { ComponentChildren, RefObject } from "preact";

interface TableBoxProps {
  readonly label: string;
  readonly box?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself where the window is too narrow for it. */
export function TableBox({ label, box, children }: TableBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="table-box" tabIndex={0} aria-label={label} {...(box !== undefined && { ref: box })}>
      <table>{children}</table>
    </section>
  );
}

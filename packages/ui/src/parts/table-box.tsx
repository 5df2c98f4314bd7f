import type { ComponentChildren } from "preact";

/** A table that scrolls by itself where the window is too narrow for it. */
export function TableBox({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table>{children}</table>
    </section>
  );
}

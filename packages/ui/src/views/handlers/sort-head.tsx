import type { HandlerColumn } from "./handler-columns.js";
import { sorting, turnSorting } from "./sorting.js";

/** The head of a column: pressed, it sorts by it. */
export function SortHead({ column }: { readonly column: HandlerColumn }) {
  const { label, kind, isWide } = column;
  const isDown = sorting.value?.column === column ? sorting.value.isDown : undefined;
  return (
    <th
      scope="col"
      class={`${kind === "number" ? "number" : ""} ${isWide === true ? "roomy" : ""}`}
      aria-sort={isDown === undefined ? undefined : isDown ? "descending" : "ascending"}
    >
      <button type="button" class="sort" title={`Sort by ${label}`} onClick={() => turnSorting(column)}>
        {label}
        <span class="sort-mark" aria-hidden="true">
          {isDown === undefined ? "\u00a0" : isDown ? "↓" : "↑"}
        </span>
      </button>
    </th>
  );
}

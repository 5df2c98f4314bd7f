import { computed } from "@preact/signals";
import type { HandlerRow } from "../../api/answers.js";
import { changeParams, params } from "../../state/location.js";
import { COLUMNS, type HandlerColumn } from "./handler-columns.js";

interface Sorting {
  readonly column: HandlerColumn;
  readonly isDown: boolean;
}

/** As the address has it: `calls`, or `-calls` for the largest first. Without it they stand in the order in which they are asked. */
export const sorting = computed((): Sorting | undefined => {
  const text = params.value.get("sort") ?? "";
  const isDown = text.startsWith("-");
  const column = COLUMNS.find(({ id }) => id === (isDown ? text.slice(1) : text));
  return column && { column, isDown };
});

/** Numbers begin with the largest, times with the latest, words with A; the third press goes back to the order in which they are asked. */
export function turnSorting({ id, kind }: HandlerColumn): void {
  const orders = kind === "text" ? [id, `-${id}`] : [`-${id}`, id];
  const now = orders.indexOf(params.value.get("sort") ?? "");
  changeParams({ sort: orders[now + 1] }, "replace");
}

/** What has no value stands last, whichever way. */
export function sorted(handlers: readonly HandlerRow[], by: Sorting | undefined): readonly HandlerRow[] {
  if (by === undefined) return handlers;
  const { column, isDown } = by;
  return handlers.toSorted((one, other) => {
    const [a, b] = [column.valueOf(one), column.valueOf(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return (isDown ? -1 : 1) * compared(a, b);
  });
}

function compared(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

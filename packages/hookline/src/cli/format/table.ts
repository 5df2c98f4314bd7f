import { inertText } from "@hookline/core/internal/text";
import { cutTo, displayWidth, padTo } from "./display-width.js";

const GAP = 2;
const LEAST = 6;

/**
 * Rows below a heading, in columns as wide as their cells. Cells may have any text: it is made inert here. With `columns`, wide cells
 * are cut so that a line fits. Cells of the first column are never cut, because users type these names.
 */
export function tableLines(heading: readonly string[], rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string[] {
  const all = [heading, ...rows].map((row) => row.map(inertText));
  const natural = heading.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ""))));
  const least = heading.map((text, column) => (column === 0 ? Number.POSITIVE_INFINITY : Math.max(LEAST, displayWidth(text))));
  const widths = fitted(natural, least, columns);
  return all.map((row) =>
    row
      .map((cell, column) => padTo(cutTo(cell, widths[column] ?? 0), widths[column] ?? 0))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

/** Narrows the widest column until a line fits. */
function fitted(natural: readonly number[], least: readonly number[], columns: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1) - columns;
  for (; excess > 0; excess--) {
    const spare = widths.map((width, at) => (width > (least[at] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

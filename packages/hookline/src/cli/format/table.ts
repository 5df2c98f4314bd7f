import { displayWidth, padTo } from "./display-width.js";

/** Rows below a heading, in columns as wide as what stands in them. The cells must be inert. */
export function tableLines(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ""))));
  return all.map((row) =>
    row
      .map((cell, column) => padTo(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

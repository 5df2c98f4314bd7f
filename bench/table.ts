export interface Table {
  readonly head: readonly string[];
  /** Columns from this one on hold numbers and are set to the right. */
  readonly firstNumber: number;
  readonly rows: readonly (readonly string[])[];
}

/** For the terminal. */
export function alignedTable({ head, firstNumber, rows }: Table): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column < firstNumber ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (row: readonly string[]) => row.map(pad).join("  ").trimEnd();
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

export function markdownTable({ head, firstNumber, rows }: Table): string {
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const rule = head.map((_, column) => (column < firstNumber ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

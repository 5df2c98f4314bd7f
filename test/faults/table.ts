import { INVARIANTS, type Invariant, isGood, type Verdict } from "./judge.ts";

/** Scenarios by invariants, in Markdown: how much was looked at, and how much of it was wrong. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const looked = INVARIANTS.filter((invariant) => verdicts.some(({ cells }) => cells[invariant] !== undefined));
  const head = ["scenario", ...looked, "result"];
  const rows = verdicts.map((verdict) => [verdict.scenario, ...looked.map((invariant) => cellOf(verdict, invariant)), resultOf(verdict)]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function cellOf({ cells }: Verdict, invariant: Invariant): string {
  const cell = cells[invariant];
  if (cell === undefined) return "";
  return cell.violations.length === 0 ? `${cell.count}` : `${cell.violations.length} WRONG of ${cell.count}`;
}

function resultOf(verdict: Verdict): string {
  if (verdict.skipped !== undefined) return "skipped";
  if (verdict.voids.length > 0) return "VOID";
  return isGood(verdict) ? "holds" : "VIOLATED";
}

/** What the table has no room for. */
export function detailsOf({ scenario, cells, voids, skipped, notes }: Verdict): string[] {
  return [
    ...(skipped === undefined ? [] : [`${scenario}: skipped, ${skipped}`]),
    ...voids.map((what) => `${scenario}: void, for this did not happen: ${what}`),
    ...Object.entries(cells).flatMap(([invariant, { violations }]) =>
      violations.slice(0, 10).map((text) => `${scenario}: ${invariant}: ${text}`),
    ),
    ...notes.map((text) => `${scenario}: ${text}`),
  ];
}

import { alignedTable, markdownTable, type Table } from "../table.ts";
import type { Finding } from "./measurement.ts";

/** For the terminal. */
export function toText(findings: readonly Finding[]): string {
  return `${alignedTable(tableOf(findings))}\n\n${summary(findings)}`;
}

/** The section of `docs/benchmarks.md`. */
export function toMarkdown(findings: readonly Finding[], machine: string): string {
  return `## The connection

Written by \`npm run bench:line -- --write\` on ${new Date().toISOString().slice(0, 10)}; do not edit. ${machine}

The bench starts a hub, publishers and clients as real processes on one machine, with their defaults, on loopback and on a real disk. Contenders take turns
within each round. Numbers are medians, and a ratio is the median of the ratios within each round. The number beside a result was measured in the same rounds.

${summary(findings)}

${markdownTable(tableOf(findings))}
`;
}

export function summary(findings: readonly Finding[]): string {
  const judged = findings.filter(({ isReached }) => isReached !== undefined);
  return `${judged.filter(({ isReached }) => isReached).length} of ${judged.length} targets reached.`;
}

export function tableOf(findings: readonly Finding[]): Table {
  return {
    head: ["row", "what", "measured", "target", "", "beside it"],
    firstNumber: 6,
    rows: findings.map(({ row, what, measured, target = "", isReached, beside = "" }, index) => [
      findings[index - 1]?.row === row ? "" : row,
      what,
      measured,
      target,
      isReached === undefined ? "" : isReached ? "reached" : "missed",
      beside,
    ]),
  };
}

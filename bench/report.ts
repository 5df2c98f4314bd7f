import { cpus, totalmem } from "node:os";
import type { AllocationResult } from "./allocations.ts";
import { fastestPeer, nanoseconds, type RowResult, ratio, spread } from "./measure.ts";
import { alignedTable, markdownTable, type Table } from "./table.ts";
import type { Judgement } from "./targets.ts";

export interface Report {
  readonly rounds: number;
  readonly results: readonly RowResult[];
  readonly allocations: readonly AllocationResult[];
  readonly judgements: readonly Judgement[];
}

/** For the terminal. */
export function toText(report: Report): string {
  const reached = report.judgements.filter(({ isReached }) => isReached).length;
  const parts = [machine(), alignedTable(speedTable(report))];
  if (report.allocations.length > 0) parts.push(alignedTable(allocationTable(report)));
  parts.push(alignedTable(targetTable(report)), `${reached} of ${report.judgements.length} targets reached.`);
  return parts.join("\n\n");
}

/** For `docs/benchmarks.md`. */
export function toMarkdown(report: Report): string {
  const reached = report.judgements.filter(({ isReached }) => isReached).length;
  return `# Benchmarks

Written by \`npm run bench:write\` on ${new Date().toISOString().slice(0, 10)}; do not edit. ${machine()}

All rows are measured in one process. After a warm-up, each contender is sampled once in each of
${report.rounds} rounds, in rotating order. Nanoseconds are medians; a ratio is the median of the ratios within each round.
Hookline's bus runs with everything on: error isolation, ordering, statistics and timeouts. The rows with one name each run in a
separate process, where no emitter has seen another name or observer; in all other rows every call site has seen many, as in a real program.
A result below one nanosecond means that the compiler removed the call from the loop.
In the rows of rules, no rule matches the call: they show what rules add to every call. 100 and 1,000 rules stand beside each other, because
the time must follow the call and not the number of rules. The rows of commands include reading the command, and no payload is used twice.

## Targets

${reached} of ${report.judgements.length} reached.

${markdownTable(targetTable(report))}

## Speed

${markdownTable(speedTable(report))}

## Allocations

${markdownTable(allocationTable(report))}
`;
}

/** What it was measured on. */
export function machine(): string {
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.version} on ${cores[0]?.model.trim() ?? "an unknown processor"}, ${cores.length} cores, ${memory} GB, ${process.platform} ${process.arch}.`;
}

function speedTable({ results }: Report): Table {
  return { head: ["row", "contender", "ns", "±", "× best peer"], firstNumber: 2, rows: results.flatMap(speedRows) };
}

function speedRows(result: RowResult): string[][] {
  const best = fastestPeer(result);
  return inOrder(result).map((name, index) => [
    index === 0 ? result.row.name : "",
    name,
    formatNumber(nanoseconds(result, name)),
    `${(spread(result, name) * 100).toFixed(0)} %`,
    best === undefined ? "" : `${ratio(result, name, best).toFixed(2)}×`,
  ]);
}

/** Ours first, then the others from fast to slow. */
function inOrder(result: RowResult): string[] {
  const { contenders } = result.row;
  const ours = contenders.filter(({ role }) => role === "ours").map(({ name }) => name);
  const others = contenders.filter(({ role }) => role !== "ours").map(({ name }) => name);
  return [...ours, ...others.sort((a, b) => nanoseconds(result, a) - nanoseconds(result, b))];
}

function allocationTable({ allocations }: Report): Table {
  const rows = allocations.flatMap(({ row, allocations }) =>
    allocations.map(({ contender, bytes, objects }, index) => [
      index === 0 ? row.name : "",
      contender,
      bytes.toFixed(1),
      objects.toFixed(2),
    ]),
  );
  return { head: ["row", "contender", "bytes", "objects"], firstNumber: 2, rows };
}

function targetTable({ judgements }: Report): Table {
  return {
    head: ["row", "target", "measured", ""],
    firstNumber: 4,
    rows: judgements.map(({ row, claim, measured, isReached }, index) => [
      judgements[index - 1]?.row === row ? "" : row,
      claim,
      measured,
      isReached ? "reached" : "missed",
    ]),
  };
}

function formatNumber(value: number): string {
  return value < 1000 ? value.toFixed(1) : value.toFixed(0);
}

import { INVARIANTS } from "../faults/judge.ts";
import { isViolated, type Outcome } from "./run-seed.ts";

/** All seeds in a few lines. */
export function sumOf(outcomes: readonly Outcome[]): string {
  const total = (of: (outcome: Outcome) => number): number => outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  const looked = INVARIANTS.map((invariant) => `${invariant} ${total(({ verdict }) => verdict.cells[invariant]?.count ?? 0)}`);
  const faults = new Map<string, number>();
  for (const outcome of outcomes) for (const [name, count] of outcome.faults) faults.set(name, (faults.get(name) ?? 0) + count);
  const sorted = [...faults].sort(([a], [b]) => a.localeCompare(b)).map(([name, count]) => `${name} ${count}`);
  const leftOut = new Set(outcomes.flatMap((outcome) => [...outcome.leftOut]));
  return [
    `${outcomes.length} seeds, ${total(({ kills }) => kills)} kills, ${total(({ cuts }) => cuts)} power cuts, ${total(({ events }) => events)} events, ${outcomes.filter(isViolated).length} seeds failed`,
    `Checked: ${looked.join(", ")}`,
    `Faults: ${sorted.join(", ")}`,
    ...[...leftOut].map((line) => `Left out: ${line}`),
  ].join("\n");
}

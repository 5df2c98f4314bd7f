import type { Mode } from "../../../packages/hookline/src/hub/mode.ts";
import type { AgentDriver } from "../drivers.ts";
import { NOT_TRIED, type ResultTable } from "../table.ts";
import type { WayResult } from "./try-ways.ts";
import type { Way } from "./ways.ts";

/** What came of one way with one agent in one mode. */
export interface ContestResult extends WayResult {
  readonly agent: string;
  readonly mode: Mode;
}

export const MODES: readonly Mode[] = ["plain", "protect", "managed"];
const RANKS: readonly ContestResult["outcome"][] = ["held", "alarm", "open", "failed"];
// What was good in an earlier run and could not be tried in this one is not known.
const SIGNS = { held: "✓", alarm: "!", open: "○", failed: NOT_TRIED };

/** Whether it is worse than what the way may come to. */
export function isBad({ mode, outcome }: ContestResult, { worst }: Way): boolean {
  return RANKS.indexOf(outcome) > RANKS.indexOf(worst[mode]);
}

/** In each cell: the modes, in their order. */
export function waysTable(results: readonly ContestResult[], ways: readonly Way[], drivers: readonly AgentDriver[]): ResultTable<Mode> {
  const signOf = (row: string, agent: string, mode: Mode): string | undefined => {
    const result = results.find((one) => one.way === row && one.agent === agent && one.mode === mode);
    if (result === undefined) return undefined;
    if (result.outcome === "failed") return SIGNS.failed;
    return ways.some((way) => way.name === row && isBad(result, way)) ? "✗" : SIGNS[result.outcome];
  };
  return { corner: "The agent tries", rows: ways, drivers, columns: MODES, signOf };
}

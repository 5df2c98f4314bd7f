import { collectMissTotals, type MissTotal } from "../../agents/client/misses.js";

const EVERY_MS = 60_000;

export interface MissCounter {
  /** Calls that attached agents made without the hub, by agent and reason. */
  list(): readonly MissTotal[];
  close(): void;
}

/** Collects the misses that the clients of attached agents have recorded: now, and every minute. */
export function createMissCounter(folder: string, onProblem: (text: string) => void): MissCounter {
  let totals: readonly MissTotal[] = [];
  function collect(): void {
    try {
      totals = collectMissTotals(folder);
    } catch (error) {
      onProblem(`The calls that agents made without the hub could not be counted: ${(error as Error).message}`);
    }
  }
  collect();
  const timer = setInterval(collect, EVERY_MS);
  timer.unref();
  return { list: () => totals, close: () => clearInterval(timer) };
}

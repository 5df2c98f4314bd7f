import type { Mode } from "../../../packages/hookline/src/hub/mode.ts";
import type { AgentDriver } from "../drivers.ts";
import { markdownTable } from "../table.ts";
import type { WayResult } from "./try-ways.ts";
import type { Way } from "./ways.ts";

/** What came of one way with one agent in one mode. */
export interface ContestResult extends WayResult {
  readonly agent: string;
  readonly mode: Mode;
}

const NOT_TRIED = "not tried";
const RANKS: readonly ContestResult["outcome"][] = ["held", "alarm", "open", "failed"];

/** Whether it is worse than what the way may come to. */
export function isBad({ mode, outcome }: ContestResult, { worst }: Way): boolean {
  return RANKS.indexOf(outcome) > RANKS.indexOf(worst[mode]);
}

/** Ways by modes, in Markdown. A cell is one word if all agents agree, else it names the agents. */
export function waysTable(
  results: readonly ContestResult[],
  ways: readonly Way[],
  drivers: readonly AgentDriver[],
  modes: readonly Mode[],
): string {
  const cell = (way: Way, mode: Mode): string => {
    const able = mode === "managed" ? drivers.filter(({ definition }) => "path" in (definition.install.managed ?? {})) : drivers;
    const found = able.map(({ id, title }) => {
      const result = results.find((one) => one.way === way.name && one.mode === mode && one.agent === id);
      return [title, result === undefined ? NOT_TRIED : wordOf(result, way)] as const;
    });
    const words = [...new Set(found.map(([, word]) => word))];
    if (words.length === 1) return words.join();
    return words
      .map((word) => {
        const titles = found.filter(([, one]) => one === word).map(([title]) => title);
        return `${titles.join(", ")}: ${word}`;
      })
      .join("; ");
  };
  const rows = ways.map((way) => [way.title, ...modes.map((mode) => cell(way, mode))]);
  return markdownTable(["The agent tries", ...modes], rows);
}

function wordOf(result: ContestResult, way: Way): string {
  if (isBad(result, way)) return result.outcome === "failed" ? NOT_TRIED : `**${result.outcome}**`;
  if (result.outcome === "open") return "works";
  return result.outcome === "alarm" ? "works, alarm" : "held";
}

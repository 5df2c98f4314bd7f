import { readFileSync, writeFileSync } from "node:fs";
import type { AgentDriver } from "./drivers.ts";
import type { Scenario } from "./scenario.ts";

type Outcome = "good" | "cannot" | "bad";

/** What came of one scenario with one agent. */
export interface Result {
  readonly agent: string;
  readonly scenario: string;
  readonly isStrict: boolean;
  readonly outcome: Outcome;
  readonly why?: string;
}

const SIGNS: { readonly [outcome in Outcome]: string } = { good: "✓", cannot: "–", bad: "✗" };
const START = "<!-- results -->";
const END = "<!-- /results -->";

/** Scenarios by agents, in Markdown. In each cell: as attached, then as attached with `--strict`. */
export function tableOf(results: readonly Result[], scenarios: readonly Scenario[], drivers: readonly AgentDriver[]): string {
  const head = ["", ...drivers.map(({ title, version }) => `${title} ${version}`)];
  const cell = (scenario: Scenario, { id }: AgentDriver): string =>
    [false, true]
      .map((isStrict) => results.find((one) => one.agent === id && one.scenario === scenario.name && one.isStrict === isStrict))
      .map((result) => (result === undefined ? "" : SIGNS[result.outcome]))
      .join(" ")
      .trim();
  const rows = scenarios.map((scenario) => [scenario.title, ...drivers.map((driver) => cell(scenario, driver))]);
  return markdownTable(head, rows);
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, 3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** Puts the table between the marks of a page. */
export function writeTable(path: string, table: string): void {
  const page = readFileSync(path, "utf8");
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${path} has no ${START} … ${END}.`);
  writeFileSync(path, `${page.slice(0, from + START.length)}\n\n${table}\n\n${page.slice(to)}`);
}

import { readFileSync, writeFileSync } from "node:fs";
import type { AgentDriver } from "./drivers.ts";

type Outcome = "good" | "cannot" | "bad";

/** What came of one scenario with one agent. */
export interface Result {
  readonly agent: string;
  readonly scenario: string;
  readonly isStrict: boolean;
  readonly outcome: Outcome;
  readonly why?: string;
}

/** What was tried, by agents. A cell has one sign for each column of its own. */
export interface ResultTable<Column> {
  readonly corner: string;
  readonly rows: readonly { readonly name: string; readonly title: string }[];
  readonly drivers: readonly AgentDriver[];
  readonly columns: readonly Column[];
  /** Undefined if it was not tried. */
  signOf(row: string, agent: string, column: Column): string | undefined;
}

/** Cells of a table that was written before, by row and head. */
type Cells = ReadonlyMap<string, string>;

const SIGNS: { readonly [outcome in Outcome]: string } = { good: "✓", cannot: "–", bad: "✗" };
export const NOT_TRIED = "·";
const START = "<!-- results -->";
const END = "<!-- /results -->";

/** In each cell: as attached, then as attached with `--strict`. */
export function scenarioTable(
  results: readonly Result[],
  rows: ResultTable<boolean>["rows"],
  drivers: readonly AgentDriver[],
): ResultTable<boolean> {
  const signOf = (row: string, agent: string, isStrict: boolean): string | undefined => {
    const result = results.find((one) => one.agent === agent && one.scenario === row && one.isStrict === isStrict);
    return result && SIGNS[result.outcome];
  };
  return { corner: "", rows, drivers, columns: [false, true], signOf };
}

/** In Markdown. What was not tried stays as it was before, for the same version of the agent. */
export function markdownOf<Column>(table: ResultTable<Column>, before: Cells = new Map()): string {
  const heads = table.drivers.map(({ title, version }) => `${title} ${version}`);
  const rows = table.rows.map(({ name, title }) => [
    title,
    ...table.drivers.map(({ id }, index) => {
      const old = before.get(keyOf(title, heads[index] ?? ""))?.split(" ") ?? [];
      const signs = table.columns.map((column, place) => table.signOf(name, id, column) ?? (old[place] || NOT_TRIED));
      return signs.every((sign) => sign === NOT_TRIED) ? "" : signs.join(" ");
    }),
  ]);
  return inLines([table.corner, ...heads], rows);
}

function inLines(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, 3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** Puts the table between the marks of a page. */
export function writeTable<Column>(path: string, table: ResultTable<Column>): void {
  const page = readFileSync(path, "utf8");
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${path} has no ${START} … ${END}.`);
  const text = markdownOf(table, cellsIn(page.slice(from + START.length, to)));
  writeFileSync(path, `${page.slice(0, from + START.length)}\n\n${text}\n\n${page.slice(to)}`);
}

function cellsIn(markdown: string): Cells {
  const [head = [], , ...rows] = markdown
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(rows.flatMap(([title = "", ...cells]) => cells.map((cell, index) => [keyOf(title, head[index + 1] ?? ""), cell])));
}

function keyOf(title: string, head: string): string {
  return `${title}\n${head}`;
}

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { agents } from "./agents.js";
import type { NativeEvent } from "./shared/definition.js";

const page = readFileSync(new URL("../../../../docs/agents.md", import.meta.url), "utf8");

it.each<[row: string, isIn: (native: NativeEvent) => boolean]>([
  ["A replaced tool output", ({ can }) => can.includes("replace")],
  ["A replaced prompt", ({ event, can }) => event === "prompt:submit" && can.includes("modify")],
  ["Context for the model", ({ can }) => can.includes("inject")],
])("docs/agents.md has the events of: %s", (row, isIn) => {
  const [, ...cells] = page
    .split("\n")
    .find((line) => line.startsWith(`| ${row} `))
    ?.split("|")
    .map((cell) => cell.trim()) ?? [""];
  const names = agents.map(({ events }) =>
    Object.entries(events)
      .filter(([, native]) => native.leftAlone === undefined && isIn(native))
      .map(([native]) => `\`${native}\``)
      .join(", "),
  );
  expect(cells.slice(1, -1)).toEqual(names.map((list) => list || "–"));
});

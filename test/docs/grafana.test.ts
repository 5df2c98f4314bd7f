import { expect, it } from "vitest";
import { startHttpHub } from "../support/http-hub.ts";
import { read } from "./repository.ts";

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

it("every metric of the Grafana dashboard is one that /metrics prints", async () => {
  const { ask } = await startHttpHub();
  const printed = namesIn((await ask("/metrics")).text);
  const { panels } = JSON.parse(read("examples/grafana/hookline.json")) as Dashboard;
  const used = panels.map(({ title, targets }) => [title, targets.map(({ expr }) => expr.match(/\bhookline_\w+/g) ?? [])] as const);
  expect(used.filter(([, names]) => names.length === 0 || names.some((found) => found.length === 0))).toEqual([]);
  expect(used.flatMap(([, names]) => names.flat()).filter((name) => !printed.has(name))).toEqual([]);
});

function namesIn(text: string): ReadonlySet<string> {
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return new Set(
    types.flatMap(([, name = "", type]) => (type === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : [name])),
  );
}

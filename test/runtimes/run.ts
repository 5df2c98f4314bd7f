// The core in other runtimes: npm run test:runtimes -- [--only <runtime>[,<runtime>]]
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { type Facts, scenarios } from "../package/scenarios.ts";
import { cacheFolder, installPackages } from "../support/install-packages.ts";
import { askWorker, buildProgram, runScript } from "./program.ts";
import { type Runtime, runtimes } from "./runtimes.ts";

interface Row {
  readonly runtime: Runtime;
  readonly result: "passed" | "failed" | "not tried";
  readonly details: readonly string[];
}

const { values } = parseArgs({ options: { only: { type: "string" } } });
const wanted = values.only?.split(",") ?? runtimes.map(({ id }) => id);
const unknown = wanted.filter((id) => !runtimes.some((runtime) => runtime.id === id));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Known: ${runtimes.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}

const folder = await buildProgram();
const rows: Row[] = [];
try {
  for (const runtime of runtimes.filter(({ id }) => wanted.includes(id))) rows.push(await attempt(runtime));
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`\n${tableOf(rows)}\n`);
for (const { runtime, details } of rows) for (const detail of details) console.log(`${runtime.id}: ${detail}`);
const isShown = rows.some(({ result }) => result === "passed") && rows.every(({ result }) => result !== "failed");
process.exit(isShown ? 0 : 1);

async function attempt(runtime: Runtime): Promise<Row> {
  const cache = cacheFolder("runtimes", process.env.HOOKLINE_RUNTIMES_CACHE);
  try {
    installPackages(cache, [{ ...runtime, folder: runtime.id }], ["--ignore-scripts"]);
  } catch (error) {
    return { runtime, result: "not tried", details: [String(error)] };
  }
  try {
    const program = join(cache, "node_modules", runtime.id, runtime.program);
    const facts = runtime.args === "worker" ? await askWorker(program, folder) : await runScript(program, runtime.args, folder);
    const details = faultsOf(facts, runtime);
    return { runtime, result: details.length === 0 ? "passed" : "failed", details };
  } catch (error) {
    return { runtime, result: "failed", details: [String(error)] };
  }
}

function faultsOf({ outcomes, early, hasProcess }: Facts, { args }: Runtime): string[] {
  const wrong = scenarios.filter(([name, , outcome]) => !isDeepStrictEqual(outcomes[name], outcome));
  return [
    ...wrong.map(([name, , outcome]) => `${name}: ${JSON.stringify(outcomes[name])}, expected ${JSON.stringify(outcome)}`),
    ...(early === "deny by early" ? [] : [`the bus that was made while the module loaded gave "${early}", expected "deny by early"`]),
    ...(args === "worker" && hasProcess ? ["the worker has a process, so it does not show that the core needs none"] : []),
  ];
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ runtime, result }) => [
    runtime.id,
    runtime.version,
    result === "passed" ? `passed, ${scenarios.length + 1} scenarios` : result,
  ]);
  const all = [["Runtime", "Version", "Result"], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body.map(line)].join("\n");
}

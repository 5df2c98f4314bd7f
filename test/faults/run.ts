// All faults at full size: npm run test:faults -- [--seed <number>] [--only <name>[,<name>]] [--short]
import { parseArgs } from "node:util";
import { isGood, type Verdict } from "./judge.ts";
import { scenarios } from "./scenarios.ts";
import { detailsOf, tableOf } from "./table.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, only: { type: "string" }, short: { type: "boolean", default: false } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const wanted = values.only?.split(",") ?? Object.keys(scenarios);
const unknown = wanted.filter((name) => scenarios[name] === undefined);
if (!Number.isSafeInteger(seed) || unknown.length > 0) {
  console.error(`Usage: npm run test:faults -- [--seed <number>] [--only ${Object.keys(scenarios).join(",")}] [--short]`);
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const verdicts: Verdict[] = [];
for (const name of wanted) {
  const started = performance.now();
  const verdict = await run(name);
  verdicts.push(verdict);
  console.error(`${isGood(verdict) ? "ok  " : "FAIL"} ${name}, ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  for (const line of detailsOf(verdict)) console.error(`     ${line}`);
}
console.log(`\nSeed ${seed}\n\n${tableOf(verdicts)}`);
process.exit(verdicts.every(isGood) ? 0 : 1);

/** A scenario that breaks down has proved nothing. */
async function run(name: string): Promise<Verdict> {
  try {
    return await (scenarios[name] as (typeof scenarios)[string])(seed, values.short ? "short" : "full");
  } catch (error) {
    return { scenario: name, seed, cells: {}, voids: [`it broke down: ${error instanceof Error ? error.stack : error}`], notes: [] };
  }
}

// All faults of a fleet: npm run test:fleet-faults -- [--seed <number>] [--only <name>[,<name>]] [--quick]
import { parseArgs } from "node:util";
import { getNatsServer } from "../../../scripts/nats-server.ts";
import { isGood, type Verdict } from "../../faults/judge.ts";
import { detailsOf, tableOf } from "../../faults/table.ts";
import { fleetScenarios } from "./scenarios.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, only: { type: "string" }, quick: { type: "boolean", default: false } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const wanted = values.only?.split(",") ?? Object.keys(fleetScenarios);
if (!Number.isSafeInteger(seed) || wanted.some((name) => fleetScenarios[name] === undefined)) {
  console.error(`Usage: npm run test:fleet-faults -- [--seed <number>] [--only ${Object.keys(fleetScenarios).join(",")}] [--quick]`);
  process.exit(2);
}
const server = getNatsServer();
if ("missing" in server) {
  console.error(`The faults of the fleet are not tried: ${server.missing}.`);
  process.exit(0);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const verdicts: Verdict[] = [];
let kills = 0;
for (const name of wanted) {
  const started = performance.now();
  const verdict = await run(name, server.program);
  verdicts.push(verdict);
  kills += verdict.kills;
  console.error(`${isGood(verdict) ? "ok  " : "FAIL"} ${name}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
  for (const line of detailsOf(verdict)) console.error(`     ${line}`);
}
console.log(`\nSeed ${seed}, ${kills} kills\n\n${tableOf(verdicts)}`);
process.exit(verdicts.every(isGood) ? 0 : 1);

/** A scenario that breaks down has proved nothing. */
async function run(name: string, program: string): Promise<Verdict & { readonly kills: number }> {
  const scenario = fleetScenarios[name];
  try {
    if (scenario === undefined) throw new Error("There is no such scenario.");
    return await scenario({ program, seed, isQuick: values.quick });
  } catch (error) {
    const why = `it broke down: ${error instanceof Error ? error.stack : error}`;
    return { scenario: name, seed, cells: {}, voids: [why], notes: [], kills: 0 };
  }
}

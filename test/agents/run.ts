// The real agents: npm run test:agents -- [--only <agent>[,<agent>]] [--scenario <name>[,<name>]] [--write]
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type AgentDriver, drivers } from "./drivers.ts";
import { installAgents } from "./install-agents.ts";
import { enterNetworkBox } from "./network-box.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { Stage } from "./stage.ts";
import { type Result, tableOf, writeTable } from "./table.ts";

const AT_ONCE = 2;
const page = fileURLToPath(new URL("../../docs/agents.md", import.meta.url));
const { values } = parseArgs({
  options: { only: { type: "string" }, scenario: { type: "string" }, write: { type: "boolean", default: false } },
});
const agents = pick(drivers, ({ id }) => id, values.only);
const tried = pick(scenarios, ({ name }) => name, values.scenario);
const programs = installAgents(agents);
enterNetworkBox();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const started = performance.now();
const tasks = tried.flatMap((scenario) =>
  agents
    .filter(({ id }) => scenario.agents?.includes(id) ?? true)
    .flatMap((driver) => [false, true].map((isStrict) => ({ scenario, driver, isStrict }))),
);
const results: Result[] = [];
const waiting = [...tasks];
await Promise.all(Array.from({ length: AT_ONCE }, work));

const bad = results.filter(({ outcome }) => outcome === "bad");
const table = tableOf(results, tried, agents);
console.log(`\n${table}\n`);
for (const { agent, scenario, isStrict, why } of bad) console.log(`${agent}, ${scenario}${isStrict ? ", strict" : ""}: ${why}`);
console.log(`${results.length} runs in ${Math.round((performance.now() - started) / 1_000)} s, ${bad.length} bad`);
const isWhole = values.only === undefined && values.scenario === undefined;
if (values.write && isWhole) writeTable(page, table);
else if (values.write) console.error("Only a whole run is written down.");
process.exit(bad.length === 0 ? 0 : 1);

async function work(): Promise<void> {
  for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) results.push(await attempt(task));
}

async function attempt({ scenario, driver, isStrict }: (typeof tasks)[number]): Promise<Result> {
  const begun = performance.now();
  const result = await judge(scenario, driver, isStrict);
  const label = `${driver.id}, ${scenario.name}${isStrict ? ", strict" : ""}`;
  console.error(`${result.outcome.padEnd(6)} ${label}, ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  if (result.why !== undefined) console.error(`       ${result.why}`);
  return result;
}

async function judge(scenario: Scenario, driver: AgentDriver, isStrict: boolean): Promise<Result> {
  const base = { agent: driver.id, scenario: scenario.name, isStrict };
  try {
    await using stage = new Stage(driver, isStrict, programs);
    return { ...base, outcome: (await scenario.run(stage)) ?? "good" };
  } catch (error) {
    return { ...base, outcome: "bad", why: error instanceof Error ? error.message : String(error) };
  }
}

function pick<T>(all: readonly T[], nameOf: (one: T) => string, wanted: string | undefined): readonly T[] {
  const names = wanted?.split(",") ?? all.map(nameOf);
  const unknown = names.filter((name) => !all.some((one) => nameOf(one) === name));
  if (unknown.length === 0) return all.filter((one) => names.includes(nameOf(one)));
  console.error(`There is no ${unknown.join(", ")}. Known: ${all.map(nameOf).join(", ")}.`);
  return process.exit(2);
}

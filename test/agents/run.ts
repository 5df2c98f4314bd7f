// The real agents: npm run test:agents -- --help
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { contractFor, canBeStrict as isStrictLevel, triedVersion } from "../../packages/hookline/dist/agents/shared/contract.js";
import type { Mode } from "../../packages/hookline/src/hub/mode.ts";
import { noManagedMachine } from "../support/managed-machine.ts";
import { openGround } from "./against-guard/ground.ts";
import { Contest } from "./against-guard/try-ways.ts";
import { ways } from "./against-guard/ways.ts";
import { type ContestResult, isBad, MODES, waysTable } from "./against-guard/ways-table.ts";
import { type AgentDriver, drivers } from "./drivers.ts";
import { installAgents } from "./install-agents.ts";
import { enterNetworkBox } from "./network-box.ts";
import { newestOf } from "./newest.ts";
import { claim, type Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { Stage } from "./stage.ts";
import { markdownOf, type Result, scenarioTable, writeTable } from "./table.ts";

const AT_ONCE = 2;
const pageOf = (name: string): string => fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    scenario: { type: "string" },
    mode: { type: "string" },
    write: { type: "boolean", default: false },
    newest: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(`Usage: npm run test:agents -- [options]

Runs the real agents against a fake model.

  --only <agent>,…      only these: ${drivers.map(({ id }) => id).join(", ")}
  --scenario <name>,…   only these scenarios or ways
  --mode <mode>,…       only the ways, in these modes: ${MODES.join(", ")}
  --write               write what was tried into the tables of the docs, also if the run is interrupted
  --newest              the newest versions that can be installed, if they are not the pinned ones; the result is only reported

Scenarios: ${scenarios.map(({ name }) => name).join(", ")}
Ways: ${ways.map(({ name }) => name).join(", ")}`);
  process.exit(0);
}
const pinned = pick(drivers, ({ id }) => id, values.only);
const kind = values.newest ? "agents-newest" : "agents";
const agents = values.newest ? newestOf(pinned, { install: (driver) => installAgents([driver], kind) }) : pinned;
const modes = pick(MODES, (mode) => mode, values.mode);
const wanted = pick([...scenarios, ...ways], ({ name }) => name, values.scenario);
const tried = scenarios.filter((scenario) => values.mode === undefined && wanted.includes(scenario));
const triedWays = ways.filter((way) => wanted.includes(way));
const programs = installAgents(agents, kind);
enterNetworkBox();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    writeTables();
    process.exit(1);
  });

const started = performance.now();
const results: Result[] = [];
const contests: ContestResult[] = [];
const waiting = [
  ...tried.flatMap((scenario) =>
    agents
      .filter(({ id }) => scenario.agents?.includes(id) ?? true)
      .flatMap((driver) => [false, true].map((isStrict) => () => attempt(scenario, driver, isStrict))),
  ),
  ...(triedWays.length === 0 ? [] : agents).map((driver) => () => contestsOf(driver)),
];
await Promise.all(Array.from({ length: AT_ONCE }, work));

const bad = results.filter(({ outcome }) => outcome === "bad");
const badWays = contests.filter((result) => ways.some((way) => way.name === result.way && isBad(result, way)));
if (tried.length > 0) console.log(`\n${markdownOf(scenarioTable(results, tried, agents))}\n`);
if (contests.length > 0) console.log(`\n${markdownOf(waysTable(contests, triedWays, agents))}\n`);
for (const { agent, scenario, isStrict, why, outcome } of results)
  if (outcome === "cannot" && why !== undefined && !isStrict) console.log(`– ${agent}, ${scenario}: ${why}`);
for (const { agent, scenario, isStrict, why } of bad) console.log(`${agent}, ${scenario}${isStrict ? ", strict" : ""}: ${why}`);
for (const { agent, way, mode, outcome, what } of badWays) console.log(`${agent}, ${way}, ${mode}: ${outcome}: ${what}`);
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(`${results.length} runs and ${contests.length} ways in ${seconds} s, ${bad.length + badWays.length} bad`);
writeTables();
process.exit(values.newest || bad.length + badWays.length === 0 ? 0 : 1);

/** What was tried until now. */
function writeTables(): void {
  if (!values.write || values.newest) return;
  if (results.length > 0) writeTable(pageOf("agents"), scenarioTable(results, scenarios, drivers));
  if (contests.length > 0) writeTable(pageOf("security"), waysTable(contests, ways, drivers.filter(canBeStrict)));
}

async function work(): Promise<void> {
  for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task();
}

async function attempt(scenario: Scenario, driver: AgentDriver, isStrict: boolean): Promise<void> {
  const begun = performance.now();
  const result = await judge(scenario, driver, isStrict);
  const label = `${driver.id}, ${scenario.name}${isStrict ? ", strict" : ""}`;
  console.error(`${result.outcome.padEnd(6)} ${label}, ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  if (result.why !== undefined) console.error(`       ${result.why}`);
  results.push(result);
}

async function judge(scenario: Scenario, driver: AgentDriver, isStrict: boolean): Promise<Result> {
  const base = { agent: driver.id, scenario: scenario.name, isStrict };
  try {
    const reason = driver.unable?.[scenario.name] ?? (isStrict ? driver.unable?.[`${scenario.name} --strict`] : undefined);
    if (reason !== undefined) return { ...base, outcome: "cannot", why: reason };
    await using stage = new Stage(driver, isStrict, programs);
    if (isStrict && !canBeStrict(driver)) return { ...base, outcome: "cannot", why: await strictRefused(stage) };
    return { ...base, outcome: (await scenario.run(stage)) ?? "good" };
  } catch (error) {
    return { ...base, outcome: "bad", why: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether the tried version can be made to deny for certain. */
function canBeStrict({ definition: { contracts } }: AgentDriver): boolean {
  return isStrictLevel(contractFor(contracts, triedVersion(contracts)).contract.guarding.level);
}

/** An agent that cannot be made to deny is not attached with `--strict`. Gives the reason that a person sees. */
async function strictRefused(stage: Stage): Promise<string> {
  const { code, err } = await stage.hookline("attach", stage.driver.id, "--strict");
  claim(`attach --strict is refused: ${err}`, code === 2 && err.includes("cannot be attached with --strict"));
  return "--strict is refused";
}

/** The agents that can be attached in this mode; none where this machine cannot have the mode. */
function driversFor(mode: Mode): readonly AgentDriver[] {
  // An agent that cannot be attached with --strict has no guard to get around for certain.
  if (mode !== "managed") return agents.filter(canBeStrict);
  if (noManagedMachine !== undefined) console.error(`skipped: managed mode, because ${noManagedMachine}`);
  return noManagedMachine === undefined ? agents.filter(({ definition }) => "path" in (definition.install.managed ?? {})) : [];
}

/** One after the other: under protect, the hub ends sessions of the agent that have other settings, such as those of another contest. */
async function contestsOf(driver: AgentDriver): Promise<void> {
  for (const mode of modes) if (driversFor(mode).includes(driver)) await contest(driver, mode);
}

/** One agent tries all ways in one mode. */
async function contest(driver: AgentDriver, mode: Mode): Promise<void> {
  const base = { agent: driver.id, mode };
  const add = (result: ContestResult): void => {
    contests.push(result);
    console.error(`${result.outcome.padEnd(6)} ${driver.id}, ${result.way}, ${mode}${result.what === undefined ? "" : `: ${result.what}`}`);
  };
  try {
    await using ground = await openGround(driver, mode, programs);
    const one = new Contest(ground, mode);
    await one.prepare();
    await one.try(triedWays, (result) => add({ ...base, ...result }));
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const isTried = (name: string): boolean => contests.some((one) => one.agent === driver.id && one.mode === mode && one.way === name);
    for (const { name } of triedWays) if (!isTried(name)) add({ ...base, way: name, outcome: "failed", what });
  }
}

function pick<T>(all: readonly T[], nameOf: (one: T) => string, wanted: string | undefined): readonly T[] {
  const names = wanted?.split(",") ?? all.map(nameOf);
  const unknown = names.filter((name) => !all.some((one) => nameOf(one) === name));
  if (unknown.length === 0) return all.filter((one) => names.includes(nameOf(one)));
  console.error(`There is no ${unknown.join(", ")}. Known: ${all.map(nameOf).join(", ")}.`);
  return process.exit(2);
}

// Breaks everything at once: npm run chaos -- --seed <number> [--minutes <number>] [--kills <number>]; see docs/reliability.md.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { detailsOf, tableOf } from "../faults/table.ts";
import { isViolated, type Outcome, type Plan, runSeed } from "./run-seed.ts";
import { shrink } from "./shrink.ts";
import { sumOf } from "./sum.ts";

const USAGE =
  "Usage: npm run chaos -- [--seed <number> | --seeds <first>..<last>] [--minutes <number>] [--kills <number>] [--steps <number>,…] [--no-shrink] [--log <file>]";
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    minutes: { type: "string" },
    kills: { type: "string" },
    steps: { type: "string" },
    shrink: { type: "boolean", default: true },
    log: { type: "string" },
  },
  allowNegative: true,
});
const seeds = seedsOf();
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const kills = values.kills === undefined ? undefined : Number(values.kills);
const steps = values.steps?.split(",").map(Number);
if ([...seeds, minutes ?? 1, kills ?? 1, ...(steps ?? [])].some((number) => !(number >= 0))) {
  console.error(USAGE);
  process.exit(2);
}
if (process.platform !== "linux") {
  console.error("The chaos harness needs Linux.");
  process.exit(2);
}
await inOwnNamespace();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const outcomes: Outcome[] = [];
for (const seed of seeds) {
  const began = performance.now();
  const outcome = await runSeed({ seed, ...planOf() }, (text) =>
    console.error(`     ${((performance.now() - began) / 1_000).toFixed(1)} s ${text}`),
  );
  outcomes.push(outcome);
  await report(seed, outcome, performance.now() - began);
}
console.log(`\n${sumOf(outcomes)}\n\n${tableOf(outcomes.map(({ verdict }) => verdict))}`);
process.exit(outcomes.some(isViolated) ? 1 : 0);

function planOf(): Omit<Plan, "seed"> {
  if (steps !== undefined) return { steps };
  return {
    ...(kills !== undefined && { kills }),
    ...((minutes !== undefined || kills === undefined) && { untilMs: (minutes ?? 2) * 60_000 }),
  };
}

async function report(seed: number, outcome: Outcome, ms: number): Promise<void> {
  const { verdict, kills: killed, cuts, events, leftOut, faults } = outcome;
  const head = `${isViolated(outcome) ? "FAIL" : "ok  "} seed ${seed}: ${killed} kills, ${cuts} cuts, ${events} events, ${(ms / 1_000).toFixed(0)} s`;
  const lines = [head, ...detailsOf(verdict).map((line) => `     ${line}`), ...[...leftOut].map((line) => `     left out: ${line}`)];
  if (isViolated(outcome)) lines.push(`     repeat with: npm run chaos -- --seed ${seed} --steps ${await minimal(seed, outcome)}`);
  console.error(lines.join("\n"));
  if (values.log === undefined) return;
  const row = {
    seed,
    killed,
    cuts,
    events,
    ms: Math.round(ms),
    isViolated: isViolated(outcome),
    lines,
    cells: verdict.cells,
    faults: Object.fromEntries(faults),
  };
  appendFileSync(values.log, `${JSON.stringify(row)}\n`);
}

async function minimal(seed: number, { steps: taken }: Outcome): Promise<string> {
  const all = taken.map(({ index }) => index);
  if (!values.shrink) return all.join(",");
  const found = await shrink(
    all,
    (plan) => runSeed({ seed, ...plan }, () => {}),
    (text) => console.error(`     ${text}`),
  );
  return found.join(",");
}

function seedsOf(): number[] {
  const [first, last] = values.seeds?.split("..").map(Number) ?? [];
  if (first !== undefined && last !== undefined) return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return [Number(values.seed ?? Date.now() % 1_000_000)];
}

/** What is mounted is gone when the run is, however it ends. */
async function inOwnNamespace(): Promise<void> {
  if (process.env.HOOKLINE_CHAOS_INSIDE !== undefined || spawnSync("unshare", ["-m", "true"]).status !== 0) return;
  const child = spawn("unshare", ["-m", process.execPath, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, HOOKLINE_CHAOS_INSIDE: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  process.exit(await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? 1))));
}

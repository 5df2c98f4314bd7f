import { parseArgs } from "node:util";
import { writeLineSection } from "../page.ts";
import { machine } from "../report.ts";
import { backtest } from "./backtest.ts";
import { gate, hookGate, localPass } from "./gate.ts";
import { intake } from "./intake.ts";
import { live } from "./live.ts";
import type { Finding, Measurement, Size } from "./measurement.ts";
import { publishing } from "./publishing.ts";
import { toMarkdown, toText } from "./report.ts";
import { openSandbox } from "./sandbox.ts";
import { startUp } from "./start-up.ts";
import { store } from "./store.ts";

// `node bench/line/run.ts [--only <number or name>] [--events <count>] [--write]`
const measurements: readonly Measurement[] = [publishing, intake, gate, localPass, hookGate, live, store, startUp, backtest];

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    events: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
if (options.write && options.only.length > 0) throw new Error("--write needs every measurement: leave out --only.");
const size: Size = options.events === undefined ? {} : { events: count(options.events) };
const LIMIT_MINUTES = options.events === undefined ? 12 : 30;
// Whatever hangs, the processes it started are ended.
setTimeout(() => fail(`The bench took more than ${LIMIT_MINUTES} minutes.`), LIMIT_MINUTES * 60_000).unref();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => fail(`Ended by ${signal}.`));

const findings: Finding[] = [];
for (const measurement of chosen(options.only)) findings.push(...(await run(measurement)));
console.log(`${machine()}\n\n${toText(findings)}`);
if (options.write) writeLineSection(toMarkdown(findings, machine()));

async function run({ name, run }: Measurement): Promise<Finding[]> {
  const start = performance.now();
  const say = (progress: string): void => void process.stderr.write(`${name}: ${progress}\n`);
  const sandbox = openSandbox();
  try {
    return await run(sandbox, say, size);
  } finally {
    await sandbox.close();
    say(`${((performance.now() - start) / 1_000).toFixed(0)} s`);
  }
}

function chosen(only: readonly string[]): Measurement[] {
  const names = measurements.map(({ name }, index) => [name, String(index + 1)]);
  const unknown = only.find((given) => !names.flat().includes(given));
  if (unknown !== undefined) {
    throw new Error(`No measurement "${unknown}". There are: ${names.map(([name, number]) => `${number} ${name}`).join(", ")}.`);
  }
  return measurements.filter((_, index) => only.length === 0 || names[index]?.some((name) => only.includes(name)));
}

function count(given: string): number {
  const found = Number(given);
  if (!Number.isInteger(found) || found < 1_000) throw new Error(`--events takes a number of at least 1,000, not "${given}".`);
  return found;
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

import type { Finding, Measurement } from "../line/measurement.ts";
import { toText } from "../line/report.ts";
import { openSandbox } from "../line/sandbox.ts";
import { machine } from "../report.ts";
import { flood } from "./flood.ts";
import { scale } from "./scale.ts";
import { timeline } from "./timeline.ts";

// `npm run bench:store -- [flood] [scale] [timeline]`
const measurements: readonly Measurement[] = [flood, scale, timeline];
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !measurements.some((measurement) => measurement.name === name));
if (unknown !== undefined) throw new Error(`No measurement "${unknown}". There are: ${measurements.map(({ name }) => name).join(", ")}.`);

const findings: Finding[] = [];
for (const { name, run } of measurements.filter((measurement) => wanted.length === 0 || wanted.includes(measurement.name))) {
  const sandbox = openSandbox();
  try {
    findings.push(...(await run(sandbox, (text) => void process.stderr.write(`${name}: ${text}\n`), {})));
  } finally {
    await sandbox.close();
  }
}
console.log(`${machine()}\n\n${toText(findings)}`);

// One target in a process of its own, so that the process that started it can end it: run-target.ts <name> <runs> <seed> <file>
import { openSync, writeSync } from "node:fs";
import { fuzz } from "./fuzz.ts";
import { targets } from "./targets.ts";

const [name, runs, seed, current = ""] = process.argv.slice(2);
const target = targets.find((each) => each.name === name);
if (target === undefined) throw new Error(`There is no target "${name}".`);
const file = openSync(current, "w", 0o600);
const report = await fuzz(target, {
  runs: Number(runs),
  seed: Number(seed),
  // The number, the length and the input: if it never comes back, this is what it was.
  onInput: (number, input) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(number, 0);
    head.writeUInt32LE(input.length, 4);
    writeSync(file, Buffer.concat([head, input]), 0, undefined, 0);
  },
});
const findings = report.findings.map(({ input, ...rest }) => ({ ...rest, input: input.toString("base64") }));
process.send?.({ ...report, findings }, () => process.exit(0));

// Feeds every reader with generated input: npm run fuzz -- [--runs <number>] [--seed <number>] [--only <name>,…]; see docs/reliability.md.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cpuMsOf } from "../faults/system.ts";
import { keep } from "./corpus.ts";
import type { Finding, FuzzReport } from "./fuzz.ts";
import { targets } from "./targets.ts";

const { values } = parseArgs({ options: { runs: { type: "string" }, seed: { type: "string" }, only: { type: "string" } } });
const runs = Number(values.runs ?? 60_000);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const names = values.only?.split(",") ?? targets.map(({ name }) => name);
if (!(runs > 0 && seed >= 0) || names.some((name) => !targets.some((target) => target.name === name))) {
  console.error(`Usage: npm run fuzz -- [--runs <number>] [--seed <number>] [--only ${targets.map(({ name }) => name).join(",")}]`);
  process.exit(2);
}

/** An input that takes as much CPU time is not waited for. */
const HANG_MS = 15_000;
const folder = mkdtempSync(join(tmpdir(), "hl-z-"));
let failed = 0;
let inputs = 0;
for (const name of names) {
  const began = performance.now();
  const report = await runTarget(name, Math.ceil(runs / names.length));
  inputs += report.inputs;
  failed += report.findings.length;
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  const grown = (report.grownBytes / 1024 / 1024).toFixed(1);
  console.log(
    `${report.findings.length === 0 ? "ok  " : "FAIL"} ${name}: ${report.inputs} inputs, slowest ${report.slowestMs.toFixed(0)} ms of CPU, memory ${grown} MB, ${seconds} s`,
  );
  for (const { number, what, input } of report.findings) console.log(`     input ${number}, kept in ${keep(name, input)}: ${what}`);
}
rmSync(folder, { recursive: true });
console.log(`${inputs} inputs with seed ${seed}, ${failed} findings`);
process.exit(failed === 0 ? 0 : 1);

async function runTarget(name: string, count: number): Promise<FuzzReport> {
  const current = join(folder, name);
  const child = fork(new URL("run-target.ts", import.meta.url), [name, String(count), String(seed), current], {
    execArgv: ["--expose-gc"],
  });
  let report: FuzzReport | undefined;
  child.on("message", (message) => (report = readReport(message as Sent)));
  const hang = watch(child.pid as number, current, () => child.kill("SIGKILL"));
  const code = await new Promise((resolve) => child.on("close", (status, signal) => resolve(signal ?? status)));
  hang.stop();
  if (report !== undefined) return report;
  const { number, input } = inputIn(current);
  const what = hang.isHung() ? `it took more than ${HANG_MS} ms of CPU time` : `the reader ended with ${code}`;
  return { inputs: number, findings: [{ target: name, number, what, input }], slowestMs: hang.isHung() ? HANG_MS : 0, grownBytes: 0 };
}

type Sent = Omit<FuzzReport, "findings"> & { readonly findings: readonly (Omit<Finding, "input"> & { readonly input: string })[] };

function readReport({ findings, ...rest }: Sent): FuzzReport {
  return { ...rest, findings: findings.map((finding) => ({ ...finding, input: Buffer.from(finding.input, "base64") })) };
}

/** Ends a reader that has been at one input for too much CPU time. */
function watch(pid: number, current: string, end: () => void): { stop(): void; isHung(): boolean } {
  let [number, since, isHung] = [-1, 0, false];
  const timer = setInterval(() => {
    const now = inputIn(current).number;
    const cpu = cpuMsOf(pid);
    if (now !== number) [number, since] = [now, cpu];
    else if (cpu - since > HANG_MS) {
      isHung = true;
      end();
    }
  }, 500);
  return { stop: () => clearInterval(timer), isHung: () => isHung };
}

function inputIn(path: string): { readonly number: number; readonly input: Buffer } {
  try {
    const bytes = readFileSync(path);
    if (bytes.length >= 8) return { number: bytes.readUInt32LE(0), input: bytes.subarray(8, 8 + bytes.readUInt32LE(4)) };
  } catch {
    // Not begun yet.
  }
  return { number: 0, input: Buffer.alloc(0) };
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBus } from "@hookline/core";
import { loadFolderHook } from "../../packages/hookline/dist/extensions/folder/folder-hook.js";
import { createProcessExtension } from "../../packages/hookline/dist/extensions/process/process-extension.js";
import { median } from "../measure.ts";

// `node bench/extensions/run.ts`: a process extension's gate against the bare way there and back, many in flight, and a Python hook.
const ROUNDS = 11;
const COUNT = 1_000;
const IN_FLIGHT_COUNT = 20_000;
const here = fileURLToPath(new URL(".", import.meta.url));
const call = { session: { id: "s" }, tool: { name: "bash", callId: "1", input: { command: "ls -la" } } };
setTimeout(() => process.exit(1), 120_000).unref();

const echo = spawn(process.execPath, [join(here, "echo.mjs")], { stdio: "pipe" });
const guard = createProcessExtension({
  program: { name: "guard", command: process.execPath, args: ["guard.mjs"], folder: here, hooks: [{ event: "tool:before" }] },
});
const bus = createBus({ source: "bench" });
bus.on("tool:before", (event) => guard.handle(event) as Promise<undefined>, { name: "guard" });
const decide = () => bus.decide("tool:before", call);

const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
writeFileSync(join(folder, "HOOK.yaml"), "name: py\nevents: [tool:before]\nonFailure: closed\n");
writeFileSync(join(folder, "handler.py"), "async def handle(event_type, context):\n    return None\n");
const python = (await loadFolderHook(folder)).open?.();
if (python === undefined) throw new Error("the Python hook cannot be loaded");
const pythonBus = createBus({ source: "bench" });
pythonBus.on("tool:before", (event) => python.handle(event) as Promise<undefined>, { name: "python" });

try {
  const samples = { echo: [] as number[], gate: [] as number[], ratio: [] as number[], flight: [] as number[], python: [] as number[] };
  for (let round = -2; round < ROUNDS; round++) {
    const bare = await p50(() => roundTrip(echo));
    const gate = await p50(decide);
    const flight = await throughput(64, IN_FLIGHT_COUNT);
    const slow = await p50(() => pythonBus.decide("tool:before", call), 300);
    if (round < 0) continue;
    samples.echo.push(bare);
    samples.gate.push(gate);
    samples.ratio.push(gate / bare);
    samples.flight.push(flight);
    samples.python.push(slow);
  }
  // A guard that fails open is fast too.
  const asked = (ROUNDS + 2) * (COUNT + IN_FLIGHT_COUNT);
  const { answered, failures } = guard.counts();
  if (answered !== asked || Object.keys(failures).length > 0)
    throw new Error(`${answered} of ${asked} answered, ${JSON.stringify(failures)}`);
  const denied = await bus.decide("tool:before", { ...call, tool: { ...call.tool, input: { command: "rm -rf /" } } });
  if (denied.verdict !== "deny") throw new Error("the guard does not guard");
  if (python.health().state !== "running") throw new Error(`the Python hook is ${python.health().state}`);
  console.log(`raw stdio echo     p50 ${median(samples.echo).toFixed(1)} µs`);
  console.log(`process gate       p50 ${median(samples.gate).toFixed(1)} µs, ${median(samples.ratio).toFixed(2)} × the echo (target ≤ 2)`);
  console.log(`64 in flight       ${Math.round(median(samples.flight))}/s (target ≥ 20000)`);
  console.log(`Python folder hook p50 ${median(samples.python).toFixed(0)} µs (target ≤ 5000)`);
} finally {
  echo.kill();
  await Promise.all([guard.close(), python.close()]);
  rmSync(folder, { recursive: true, force: true });
}

async function p50(once: () => unknown, count = COUNT): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await once();
    times.push((performance.now() - start) * 1_000);
  }
  return median(times);
}

function roundTrip({ stdin, stdout }: ChildProcessWithoutNullStreams): Promise<unknown> {
  return new Promise((resolve) => {
    stdout.once("data", (chunk: Buffer) => resolve(JSON.parse(chunk.toString())));
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "hook.handle", params: { event: "tool:before", payload: call } })}\n`);
  });
}

async function throughput(inFlight: number, total: number): Promise<number> {
  let left = total;
  const start = performance.now();
  const worker = async () => {
    while (left-- > 0) await decide();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return total / ((performance.now() - start) / 1_000);
}

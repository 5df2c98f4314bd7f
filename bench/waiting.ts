// How long other callers wait while one caller sends the heaviest that the hub takes: npm run bench:waiting -- [seconds]
//
// One thread asks the hub's guards every 5 ms over its connection. Meanwhile another one sends calls with 30,000 keys, frames of 4 MB, or
// bodies of up to 30 MB to an agent's hook. `longest wait` and the percentiles are the waits of the first one, by the clock: on a busy machine,
// the first row says how much of them is the machine's. `CPU per call` is what the hub's main thread computed for one heavy call: no other
// caller waits longer than that for it, and it depends on the load of the machine far less. Linux only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { LineClient } from "../test/support/line-client.ts";

interface Target {
  readonly url: string;
  readonly line: string;
  readonly token: string;
  readonly operator: string;
}

const MB = 1_000_000;
const call = (input: object) => ({ session: { id: "heavy" }, tool: { name: "Bash", callId: "1", input: { command: "ls", ...input } } });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
/** As source code is: with line ends and quotes to escape. */
const textOf = (bytes: number) => 'const a = "b";\n'.repeat(Math.floor(bytes / 18));

async function ask(client: LineClient, id: string, payload: string): Promise<void> {
  client.say(`{"type":"gate","id":"${id}","event":"tool:before","payload":${payload}}`);
  await client.next((frame) => "id" in frame && frame.id === id);
  client.frames.length = 0;
}

type Send = (number: number) => Promise<unknown>;

/** Made once: to make them must not take part in the measurement. */
const loads: { readonly [name: string]: (target: Target) => Promise<Send> } = {
  nothing: async () => () => sleep(50),
  "calls with 30,000 keys, on the connection": (target) => onConnection(target, call(keys(30_000))),
  "calls with 30,000 keys, over HTTP": (target) => overHttp(target, "/api/decide", decideOf(call(keys(30_000)))),
  "calls with 9,000 keys, recorded": (target) => overHttp(target, "/api/decide", decideOf(call(keys(9_000)))),
  "frames of 4 MB": (target) => onConnection(target, call({ text: textOf(3.9 * MB) })),
  "hook bodies of 4 MB": (target) => hookBodies(target, 4 * MB),
  "hook bodies of 8 MB": (target) => hookBodies(target, 8 * MB),
  "hook bodies of 30 MB": (target) => hookBodies(target, 30 * MB),
};

function decideOf(payload: object): string {
  return JSON.stringify({ event: "tool:before", payload, record: true, source: { app: "heavy" } });
}

async function onConnection({ line, token }: Target, payload: object): Promise<Send> {
  const client = await LineClient.attached(line, token, "heavy");
  const text = JSON.stringify(payload);
  return (number) => ask(client, `h${number}`, text);
}

async function overHttp({ url, operator }: Target, path: string, body: string): Promise<Send> {
  const headers = { authorization: `Bearer ${operator}`, "content-type": "application/json" };
  const bytes = Buffer.from(body);
  return async () => (await fetch(url + path, { method: "POST", headers, body: bytes })).text();
}

function hookBodies(target: Target, size: number): Promise<Send> {
  const input = { file_path: "/tmp/x", content: textOf(size) };
  const body = { session_id: "s", hook_event_name: "PreToolUse", tool_name: "Write", tool_input: input };
  return overHttp(target, "/api/agents/claude-code/PreToolUse?plain=1", JSON.stringify(body));
}

async function sendHeavy(): Promise<void> {
  const { target, name, ms } = workerData as { readonly target: Target; readonly name: string; readonly ms: number };
  const send = await (loads[name] as (typeof loads)[string])(target);
  parentPort?.postMessage("ready");
  await once(parentPort as NonNullable<typeof parentPort>, "message");
  let sent = 0;
  for (const end = performance.now() + ms; performance.now() < end; ) await send(sent++);
  parentPort?.postMessage(sent);
  parentPort?.close();
}

async function measure(): Promise<void> {
  const seconds = Number(process.argv[2] ?? 5);
  const home = mkdtempSync(join(tmpdir(), "hookline-waiting-"));
  const state = join(home, "state");
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(home, "config"), XDG_RUNTIME_DIR: "" };
  const main = fileURLToPath(new URL("../packages/hookline/dist/cli/main.js", import.meta.url));
  const hub = spawn(process.execPath, [main, "up", "--port", "0"], { env, stdio: "ignore" });
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  try {
    const { url = "", line = "", token = "" } = await readWhenThere(join(state, "hookline", "hub.json"));
    const { token: operator = "" } = await readWhenThere(join(state, "hookline", "operator.json"));
    const target = { url, line, token, operator };
    const asker = await LineClient.attached(line, token, "asker");
    const rows = [["while the hub gets", "heavy calls", "CPU per call", "asked", "p50", "p99", "longest wait"]];
    for (const name of Object.keys(loads))
      rows.push([name, ...(await underLoad(asker, { target, name, ms: seconds * 1_000 }, hub.pid ?? 0))]);
    const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    for (const row of rows)
      console.log(
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd(),
      );
    asker.socket.destroy();
  } finally {
    hub.kill();
    if (hub.exitCode === null) await once(hub, "exit");
  }
}

async function underLoad(asker: LineClient, data: { readonly name: string; readonly ms: number; readonly target: Target }, hub: number) {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  await once(worker, "message");
  const before = cpuMs(hub);
  const waits: number[] = [];
  let sent: number | undefined;
  worker.once("message", (count: number) => {
    sent = count;
  });
  worker.postMessage("go");
  for (let number = 0; sent === undefined; number++) {
    const began = performance.now();
    await ask(asker, `a${number}`, JSON.stringify(call({})));
    waits.push(performance.now() - began);
    await sleep(5);
  }
  waits.sort((a, b) => a - b);
  const at = (share: number) => `${(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0).toFixed(1)} ms`;
  const perCall = (cpuMs(hub) - before) / sent;
  return [String(sent), `${perCall.toFixed(1)} ms`, String(waits.length), at(0.5), at(0.99), at(1)];
}

/** What the main thread of a process has computed so far. */
function cpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

async function readWhenThere(path: string): Promise<{ readonly [field: string]: string }> {
  for (let tries = 0; tries < 400; tries++) {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as { readonly [field: string]: string };
    } catch {
      await sleep(50);
    }
  }
  throw new Error(`${path} did not appear: the hub did not start.`);
}

await (isMainThread ? measure() : sendHeavy());

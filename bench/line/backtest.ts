import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { encodeEnvelope } from "@hookline/core/sinks";
import { openStore } from "hookline/internal";
import { atMost, type Finding, type Measurement } from "./measurement.ts";
import type { HubMethods } from "./processes/hub.ts";
import type { PublisherMethods } from "./processes/publisher.ts";
import type { Sandbox } from "./sandbox.ts";
import { type Latency, median, ratios } from "./statistics.ts";

/** A fifth of a million: to write a million takes longer than all measurements. The time for a million is then extrapolated, and says so. */
const EVENTS = 200_000;
const MILLION = 1_000_000;
const BATCH = 1_000;
const COUNT = 500;
const PAUSE_MS = 2;
const ROUNDS = 16;
const LIMIT_S = 60;

const guard = `[[rule]]\nname = "no-rm"\nevent = "tool:before"\ndo = "allow"\nmatch = "tool.name != 'rm'"\n`;
const sets = fileURLToPath(new URL("../../packages/hookline/rules", import.meta.url));
const program = fileURLToPath(new URL("../../packages/hookline/bin/hookline.js", import.meta.url));

/** Every set of rules over recorded calls, and what the hub's decisions wait meanwhile. */
export const backtest: Measurement = {
  name: "backtest",
  async run(sandbox, say, { events = EVENTS }) {
    sandbox.configure({ "hookline.toml": guard });
    const data = join(sandbox.folder, "data");
    mkdirSync(data, { mode: 0o700 });
    say(`${events.toLocaleString("en")} events are written`);
    await fill(join(data, "events.db"), events);
    const rules = join(sandbox.folder, "sets.toml");
    const files = readdirSync(sets).filter((name) => name.endsWith(".toml"));
    writeFileSync(rules, files.map((name) => readFileSync(join(sets, name), "utf8")).join("\n"));
    await sandbox.start<HubMethods>("hub", [data]);
    const publisher = await sandbox.start<PublisherMethods>("publisher");
    await publisher.ask("attached");
    const time = () => publisher.ask("timeGates", COUNT, PAUSE_MS);
    await time();
    say("decisions, beside a backtest and alone");
    const latencies = await timeBeside(startBacktest(sandbox, rules, data), time);
    say("the backtest alone");
    const free = await startBacktest(sandbox, rules, data).done;
    return findings({ ...latencies, ...free, events });
  },
};

/** A third are calls, as in the record of an attached agent. */
async function fill(path: string, events: number): Promise<void> {
  const store = await openStore(path, { ballastBytes: 0 });
  const start = Date.now() - 20 * 86_400_000;
  for (let from = 0; from < events; from += BATCH)
    await store.append(
      Array.from({ length: BATCH }, (_, index) => {
        const envelope = eventAt(from + index, start);
        return { envelope, body: encodeEnvelope(envelope) };
      }),
    );
  await store.close();
}

const NAMES = ["tool:before", "tool:after", "llm:after"] as const;
const COMMANDS = [
  (n: number) => `npm test -- --filter case-${n}`,
  (n: number) => `git commit -m "change ${n}" && git push origin feature-${n % 50}`,
  (n: number) => `cd packages/p${n % 20} && rm -rf dist && tsc -p tsconfig.json`,
  (n: number) => `grep -rn "word${n}" src | head -${(n % 40) + 1}`,
  (n: number) => `curl -s https://example.com/${n} -o /tmp/file-${n}`,
  (n: number) => `for f in $(ls logs/${n}); do gzip "$f"; done`,
];

function eventAt(number: number, start: number) {
  const session = { id: `s${Math.floor(number / 300)}` };
  const turn = Math.floor(number / NAMES.length);
  const tool = { name: "Bash", callId: `c${turn}`, input: { command: COMMANDS[turn % COMMANDS.length]?.(turn) ?? "" } };
  const payloads = [
    { session, cwd: "/w", tool },
    { session, cwd: "/w", tool: { ...tool, output: `line of output ${turn}\n`.repeat(60) } },
    { session, usage: { inputTokens: 1_000, outputTokens: 50 } },
  ];
  return {
    ...({ v: 2, id: `b${number}`, seq: number, hops: [], session } as const),
    at: new Date(start + number * 1_000).toISOString(),
    event: NAMES[number % NAMES.length] ?? "",
    source: { app: "claude-code", host: "bench", pid: 0, instance: "claude-code" },
    payload: payloads[number % NAMES.length],
  };
}

interface Done {
  readonly calls: number;
  readonly seconds: number;
}

interface Running {
  readonly child: ChildProcess;
  readonly done: Promise<Done>;
}

/** In turns, the backtest frozen in every other one, so that a slow moment of the machine hits both. */
async function timeBeside({ child, done }: Running, time: () => Promise<Latency>) {
  const [alone, beside]: [Latency[], Latency[]] = [[], []];
  const ended = done.catch(() => undefined);
  for (let round = 0; round < ROUNDS; round++) {
    child.kill("SIGCONT");
    const first = await time();
    if (child.exitCode !== null) break;
    child.kill("SIGSTOP");
    beside.push(first);
    alone.push(await time());
  }
  if (beside.length === 0) throw new Error("The backtest ended before a decision was measured: give it more events with --events.");
  child.kill("SIGKILL");
  await ended;
  return { alone, beside };
}

/** The command as a user runs it. */
function startBacktest({ env }: Sandbox, rules: string, data: string): Running {
  const start = performance.now();
  const child = spawn(process.execPath, [program, "rules", "backtest", rules, "--data", data, "--json"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (piece: Buffer) => {
    text += piece;
  });
  const done = new Promise<Done>((resolve, reject) => {
    child.once("close", (code) => {
      if (code !== 0) return reject(new Error(`The backtest ended with ${code}.`));
      resolve({ calls: (JSON.parse(text) as { readonly calls: number }).calls, seconds: (performance.now() - start) / 1_000 });
    });
  });
  return { child, done };
}

interface Measured {
  readonly alone: readonly Latency[];
  readonly beside: readonly Latency[];
  readonly calls: number;
  readonly seconds: number;
  readonly events: number;
}

function findings({ alone, beside, calls, seconds, events }: Measured): Finding[] {
  const row = "backtest of all sets";
  const p99 = (samples: readonly Latency[]): number => median(samples.map((sample) => sample.p99));
  const of = (samples: readonly Latency[]): number[] => samples.map((sample) => sample.p99);
  const ratio = median(ratios(of(beside), of(alone)));
  const million = (seconds * MILLION) / events;
  return [
    atMost(LIMIT_S, million, {
      row,
      what: `a million events${events === MILLION ? "" : ", extrapolated"}`,
      measured: `${million.toFixed(0)} s`,
      target: `under ${LIMIT_S} s`,
      beside: `${events.toLocaleString("en")} events with ${calls.toLocaleString("en")} calls: ${seconds.toFixed(1)} s`,
    }),
    atMost(1.5, ratio, {
      row,
      what: `decisions meanwhile, p99, ${PAUSE_MS} ms between them`,
      measured: `${ratio.toFixed(2)}× (${p99(beside).toFixed(0)} µs)`,
      target: "at most 1.5× those without",
      beside: `without: ${p99(alone).toFixed(0)} µs; the median of ${beside.length} rounds`,
    }),
  ];
}

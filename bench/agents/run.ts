import { existsSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { httpKeyOf, readAttachKey } from "../../packages/hookline/dist/agents/client/attach-key.js";
import { Child } from "../../test/agents/child.ts";
import { type AgentDriver, drivers } from "../../test/agents/drivers.ts";
import { installAgents } from "../../test/agents/install-agents.ts";
import { enterNetworkBox } from "../../test/agents/network-box.ts";
import { Stage } from "../../test/agents/stage.ts";
import { until } from "../../test/agents/until.ts";
import { atMost, type Finding } from "../line/measurement.ts";
import { interleave, median } from "../line/statistics.ts";
import { writeAgentSection } from "../page.ts";
import { machine } from "../report.ts";
import { rulesText, timeHub } from "./hub-calls.ts";
import { toMarkdown, toText } from "./report.ts";
import { timeToolCalls } from "./tool-calls.ts";
import { makeWays } from "./ways.ts";

// `node bench/agents/run.ts [--only <agent>] [--way <name>]… [--rounds <n>] [--calls <n>] [--write]`
const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    way: { type: "string", multiple: true },
    rounds: { type: "string", default: "6" },
    calls: { type: "string", default: "20" },
    write: { type: "boolean", default: false },
  },
});
const RULES = 100;
/** The ways that do not ask it. */
const WITHOUT_HUB: readonly string[] = ["none", "node", "empty"];
/** In milliseconds, by the agent and the way. */
const LIMITS: { readonly [agent: string]: { readonly [way: string]: number } } = {
  "claude-code": { "http, one hook": 8, "perl client, one hook": 12, "sh client, one hook": 30, "attach --strict": 20, attach: 20 },
  codex: { "attach --strict": 25, attach: 25 },
};
const TITLES: { readonly [way: string]: string } = {
  empty: "an empty hook",
  "http, one hook": "by http, one hook",
  "perl client, one hook": "by the Perl client, one hook",
  "sh client, one hook": "by the client for sh and curl, one hook",
  "node client, one hook": "by the Node client, one hook",
  "attach --strict": "hookline attach --strict: all hooks of the call",
  attach: "hookline attach: all hooks of the call",
  "attach --http": "hookline attach --http: all hooks of the call",
};
const LIMIT_MS = 30 * 60_000;
const main = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));
const [rounds, calls] = [Number(options.rounds), Number(options.calls)];
const agents = drivers.filter(({ id }) => (options.only === undefined ? ["claude-code", "codex"] : [options.only]).includes(id));
if (agents.length === 0) throw new Error(`There is no agent "${options.only}".`);
const programs = installAgents(agents);
enterNetworkBox();

const loads = [loadavg()[0] ?? 0];
const findings: Finding[] = [];
for (const driver of agents) findings.push(...(await measureCalls(driver)));
loads.push(loadavg()[0] ?? 0);
findings.push(...(await measureHub()));
const load = `The machine's load was ${loads.map((value) => value.toFixed(1)).join(" before and ")} after, on its cores above.`;
console.log(`${machine()} ${load}\n\n${toText(findings)}`);
if (options.write) writeAgentSection(toMarkdown(findings, `${machine()} ${load}`));
process.exit(0);

async function measureCalls(driver: AgentDriver): Promise<Finding[]> {
  await using stage = new Stage(driver, true, programs);
  stage.configure(rulesText(RULES));
  const state = join(stage.home, "state", "hookline");
  await using _hub = await startHubFor(stage, join(state, "hub.json"));
  const { url } = JSON.parse(readFileSync(join(state, "hub.json"), "utf8")) as { url: string };
  const key = readAttachKey(state);
  if (key === undefined) throw new Error("The hub has no key for attached agents.");
  const token = httpKeyOf(key, driver.id);
  const chosen = options.way;
  const ways = makeWays({ agent: driver.definition, folder: stage.home, state, socket: stage.socket, url, token }).filter(
    ({ name }) => name === "none" || chosen === undefined || chosen.includes(name),
  );
  const samples = await interleave(
    rounds,
    Object.fromEntries(
      ways.map((way) => [
        way.name,
        async (round: number) => {
          const times = await timeToolCalls(stage, driver, way, calls);
          process.stderr.write(`${driver.title}, round ${round + 1} of ${rounds}, ${way.name}: ${median(times).toFixed(1)} ms\n`);
          return times;
        },
      ]),
    ),
  );
  await checkSeen(stage, ways.filter(({ name }) => !WITHOUT_HUB.includes(name)).length);
  return judge(driver, (name) => samples(name));
}

/** The stage's own does not live long enough. */
async function startHubFor(stage: Stage, file: string): Promise<Child> {
  const hub = new Child(process.execPath, [main, "up", "--port", "0"], { env: stage.env, cwd: stage.project, limitMs: LIMIT_MS });
  await until("the hub is up", () => existsSync(file));
  return hub;
}

/** A way that reached nobody would be fast. */
async function checkSeen(stage: Stage, ways: number): Promise<void> {
  const seen = (await stage.events({ event: "tool:before", limit: "1000" })).length;
  const least = Math.min(1_000, ways * rounds * calls);
  if (seen < least) throw new Error(`The hub saw ${seen} calls, and should have seen ${least} or more.`);
}

function judge(driver: AgentDriver, samples: (name: string) => readonly (readonly number[])[]): Finding[] {
  const added = (name: string): number => median(samples(name).map((times, round) => median(times) - median(samples("none")[round] ?? [])));
  // On a machine with other work, what a call takes when it is not in its way.
  const undisturbed = (name: string): number => tenth(samples(name).flat()) - tenth(samples("none").flat());
  const text = (name: string): string => `${added(name).toFixed(1)} ms, fastest tenth ${undisturbed(name).toFixed(1)} ms`;
  const row = `${driver.title}, added to one tool call`;
  const beside = samples("node").length === 0 ? {} : { beside: `a Node script that does nothing: ${text("node")}` };
  const whole = {
    row,
    what: "no hook, the whole call",
    measured: `${median(samples("none").flat()).toFixed(1)} ms`,
    beside: `${samples("none").flat().length} calls of each way`,
  };
  const measured = Object.keys(TITLES).filter((name) => samples(name).length > 0);
  const findings = measured.map((name): Finding => {
    const [what, limit] = [TITLES[name] ?? name, LIMITS[driver.id]?.[name]];
    const finding = { row, what, measured: text(name), ...beside };
    return limit === undefined ? finding : atMost(limit, added(name), { ...finding, target: `at most ${limit} ms` });
  });
  return [whole, ...findings];
}

function tenth(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
}

async function measureHub(): Promise<Finding[]> {
  const { handled, overSocket } = await timeHub(RULES, 3_000);
  return [
    atMost(1_000, handled.p50, {
      row: `the hub, one hook request, ${RULES} rules`,
      what: "translate, rules, decide, record, p50",
      measured: `${(handled.p50 / 1_000).toFixed(2)} ms, p99 ${(handled.p99 / 1_000).toFixed(2)} ms`,
      target: "under 1 ms",
      beside: `with HTTP over http.sock, both ends in one process: ${(overSocket.p50 / 1_000).toFixed(2)} ms`,
    }),
  ];
}

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SCHEMA_VERSION } from "hookline/internal";
import { atMost, type Finding, type Measurement } from "../line/measurement.ts";
import type { HubMethods } from "../line/processes/hub.ts";
import type { StoreKeeperMethods } from "../line/processes/store-keeper.ts";
import type { Sandbox } from "../line/sandbox.ts";
import { interleave, median } from "../line/statistics.ts";
import { WORDS } from "../line/workload.ts";

const MILLIONS = 10;
const EVENTS = MILLIONS * 1_000_000;
const STEP = 100_000;
const SPAN_MS = 6 * 3_600_000;
const ROUNDS = 7;
const STARTS = 3;
const PAGE = 100;
const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));

/** Questions to a store of ten million events. The store is built once, which takes a quarter of an hour, and kept beside the packages. */
export const scale: Measurement = {
  name: "scale",
  async run(sandbox, say) {
    const data = await builtStore(sandbox, say);
    const starts: number[] = [];
    for (let round = 0; round < STARTS; round++) starts.push(await timeStart(sandbox, data));
    const keeper = await sandbox.start<StoreKeeperMethods>("store-keeper");
    await keeper.ask("open", join(data, "events.db"));
    say("questions");
    const answers = await interleave(ROUNDS, {
      session: (round) => keeper.ask("page", { session: `session-${round * 37}` }, PAGE),
      tool: (round) => keeper.ask("page", { events: ["tool:*"], tool: round % 2 === 0 ? "bash" : "read" }, PAGE),
      rare: (round) => keeper.ask("page", { text: `call_${EVENTS / 2 + round * 1_009}` }, PAGE),
      two: (round) => keeper.ask("page", { text: `${WORDS[round]} ${WORDS[20 + round]}` }, PAGE),
      common: () => keeper.ask("page", { text: "npm test" }, PAGE),
    });
    await keeper.ask("close");
    return findings(answers, starts);
  },
};

async function builtStore(sandbox: Sandbox, say: (text: string) => void): Promise<string> {
  const data = join(cache, `bench-store-${MILLIONS}m-v${SCHEMA_VERSION}`);
  if (existsSync(data)) return data;
  const half = `${data}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true, mode: 0o700 });
  const keeper = await sandbox.start<StoreKeeperMethods>("store-keeper");
  await keeper.ask("open", join(half, "events.db"));
  const all = { count: EVENTS, spanMs: SPAN_MS, end: Date.now() };
  for (let from = 0; from < EVENTS; from += STEP) {
    await keeper.ask("fill", from, from + STEP, all);
    // In between, because the answer to one question is not waited for longer than two minutes.
    await keeper.ask("indexed");
    say(`${(from + STEP) / 1_000_000} of ${MILLIONS} million events written`);
  }
  await keeper.ask("close");
  renameSync(half, data);
  return data;
}

/** From the start of the process to the first answer over HTTP. */
async function timeStart(sandbox: Sandbox, data: string): Promise<number> {
  sandbox.configure({ "hookline.toml": `[retention]\nmaxBytes = "100GB"\n` });
  const start = performance.now();
  const hub = await sandbox.start<HubMethods>("hub", [data]);
  const { file, operator } = await hub.ask("info");
  const answer = await fetch(`${file.url}/api/events?limit=1`, { headers: { authorization: `Bearer ${operator}` } });
  await answer.text();
  const ms = performance.now() - start;
  if (!answer.ok) throw new Error(`The hub answered ${answer.status}.`);
  await hub.stop();
  return ms;
}

type Timed = { readonly ms: number; readonly found: number };

function findings(answers: (name: string) => readonly Timed[], starts: readonly number[]): Finding[] {
  const row = `store of ${EVENTS.toLocaleString("en")} events`;
  const under = (name: string, what: string, limit: number): Finding => {
    const [ms, found] = [median(answers(name).map((answer) => answer.ms)), median(answers(name).map((answer) => answer.found))];
    return atMost(limit, found > 0 ? ms : Number.POSITIVE_INFINITY, {
      row,
      what: `${what} (${found} found)`,
      measured: `${ms.toFixed(1)} ms`,
      target: `under ${limit} ms`,
    });
  };
  const startMs = median(starts);
  return [
    under("session", "last 100 of a session", 20),
    under("tool", "last 100 calls of one tool", 150),
    under("rare", "text search, one of ten million", 300),
    under("two", "text search, two words", 300),
    under("common", "text search, words in every event", 300),
    atMost(1_000, startMs, {
      row,
      what: "start of the hub to its first answer",
      measured: `${startMs.toFixed(0)} ms`,
      target: "under 1,000 ms",
    }),
  ];
}

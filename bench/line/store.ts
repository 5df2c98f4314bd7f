import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Finding, type Measurement } from "./measurement.ts";
import type { HubMethods } from "./processes/hub.ts";
import type { StoreKeeperMethods } from "./processes/store-keeper.ts";
import type { Sandbox } from "./sandbox.ts";
import type { RunningProcess } from "./start-process.ts";
import { interleave, median } from "./statistics.ts";
import { WORDS } from "./workload.ts";

const EVENTS = 1_000_000;
const HOUR_MS = 3_600_000;
const SPAN_MS = 6 * HOUR_MS;
const STEP = 100_000;
const ROUNDS = 9;
const STARTS = 5;
const PAGE = 100;

type Keeper = RunningProcess<StoreKeeperMethods>;
type Timed = { readonly ms: number; readonly found: number };

/** Questions to a store of a million events, and how soon a hub with it answers. */
export const store: Measurement = {
  name: "store",
  async run(sandbox, say) {
    const data = join(sandbox.folder, "million");
    mkdirSync(data, { mode: 0o700 });
    const path = join(data, "events.db");
    const keeper = await sandbox.start<StoreKeeperMethods>("store-keeper");
    const end = Date.now();
    await fill(keeper, path, { end, say });
    await keeper.ask("close");
    const starts: number[] = [];
    for (let round = 0; round < STARTS; round++) {
      say(`start ${round + 1} of ${STARTS}`);
      starts.push(await timeStart(sandbox, data));
    }
    await keeper.ask("open", path);
    await keeper.ask("openPlain", path);
    say("questions");
    const answers = await interleave(ROUNDS, questions(keeper, end));
    return findings(answers, starts);
  },
};

async function fill(keeper: Keeper, path: string, { end, say }: { end: number; say(text: string): void }): Promise<void> {
  const all = { count: EVENTS, spanMs: SPAN_MS, end };
  await keeper.ask("open", path);
  for (let from = 0; from < EVENTS; from += STEP) {
    await keeper.ask("fill", from, from + STEP, all);
    say(`${((from + STEP) / EVENTS) * 100} % of a million events written`);
  }
  say("indexing their text");
  await keeper.ask("indexed");
}

/** From the start of the process to the first answer over HTTP. */
async function timeStart(sandbox: Sandbox, data: string): Promise<number> {
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

function questions(keeper: Keeper, end: number): { readonly [name: string]: (round: number) => Promise<Timed> } {
  const since = end - HOUR_MS;
  const common = "npm test";
  const rare = (round: number): string => `call_${EVENTS / 2 + round * 1_009}`;
  const two = (round: number): string => `${WORDS[round]} ${WORDS[20 + round]}`;
  return {
    session: (round) => keeper.ask("page", { session: `session-${round * 37}` }, PAGE),
    counts: () => keeper.ask("counts", since),
    overview: () => keeper.ask("overview", 6),
    rare: (round) => keeper.ask("page", { text: rare(round) }, PAGE),
    two: (round) => keeper.ask("page", { text: two(round) }, PAGE),
    common: () => keeper.ask("page", { text: common }, PAGE),
    plainCounts: () => keeper.ask("sql", "SELECT event, count(*) FROM events WHERE at >= ? GROUP BY event", [since]),
    plainSearch: (round) =>
      keeper.ask("sql", "SELECT place, body FROM events WHERE body LIKE ? ORDER BY place DESC LIMIT 100", [`%${rare(round)}%`]),
  };
}

function findings(answers: (name: string) => readonly Timed[], starts: readonly number[]): Finding[] {
  const row = "store of 1,000,000 events";
  const ms = (name: string): number => median(answers(name).map((answer) => answer.ms));
  const found = (name: string): number => median(answers(name).map((answer) => answer.found));
  const under = (name: string, what: string, limit: number, beside = ""): Finding =>
    atMost(limit, found(name) > 0 ? ms(name) : Number.POSITIVE_INFINITY, {
      row,
      what: `${what} (${found(name)} found)`,
      measured: `${ms(name).toFixed(1)} ms`,
      target: `under ${limit} ms`,
      beside,
    });
  const startMs = median(starts);
  return [
    under("session", "last 100 of a session", 20),
    under("counts", "counts per type of the last hour", 150, `count(*) by SQL: ${ms("plainCounts").toFixed(0)} ms`),
    under("overview", "overview of the last six hours", 150),
    under("rare", "text search, one of a million", 300, `LIKE by SQL: ${ms("plainSearch").toFixed(0)} ms`),
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

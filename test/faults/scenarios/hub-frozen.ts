import { setTimeout as pause } from "node:timers/promises";
import { Judge } from "../judge.ts";
import { ackedBy, freeze, thaw } from "../nemesis.ts";
import { Crew, type Member, type Publisher, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeFresh, judgeHub } from "../settling.ts";

const FROZEN_MS = { short: 2_000, full: 10_000 };
/** Interleaved, so that what else the machine does hits both sides. */
const ROUNDS = { count: 9, ms: 800 };

interface Times {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** SIGSTOP of the hub while publishers go on, and SIGCONT. */
export const hubFrozen: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const hub = await crew.startHub();
  const publishers = await Promise.all(
    ["a", "b"].map((name, index) => crew.startPublisher({ name, seed: seed + index, burst: 10, everyMs: 20 })),
  );
  await Promise.all(publishers.map(({ member }) => member.ask("go")));
  if (size === "full") await judgeIsolation(judge, hub, publishers);
  await pause(FROZEN_MS[size] / 2);
  const healthy = await timesOf(publishers);
  judge.happened(await freeze(hub), "the hub stands still");
  const before = await ackedBy(publishers);
  await pause(FROZEN_MS[size]);
  const frozen = await timesOf(publishers);
  // What was on its way when it stopped may still have come in.
  judge.happened((await ackedBy(publishers)) - before < 2_000, "nothing is acknowledged meanwhile");
  thaw(hub);
  const since = size === "full" ? performance.now() : undefined;
  judge.look("own", frozen.count, frozen.count > 0 ? [] : ["the publishers stood still, too"]);
  judge.note(`emit p50/p99 in µs: hub up ${micro(healthy)}, frozen ${micro(frozen)}`);
  await judgeFresh(judge, crew, publishers[0] as Publisher, since);
  await judgeHub(judge, crew, hub, await claimsOf(publishers));
  return judge.verdict("hub frozen", seed);
};

/** I6: with a frozen hub, `emit` takes at most twice as long as with one that is up, by the median of the rounds. */
async function judgeIsolation(judge: Judge, hub: Member, publishers: readonly Publisher[]): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS.count; round++) {
    await timesOf(publishers);
    await pause(ROUNDS.ms);
    const healthy = await timesOf(publishers);
    await freeze(hub);
    await timesOf(publishers);
    await pause(ROUNDS.ms);
    const frozen = await timesOf(publishers);
    thaw(hub);
    ratios.push(frozen.p99 / healthy.p99);
    await until("the hub has caught up", async () => (await pendingOf(publishers)) < 200);
  }
  const median = ratios.sort((a, b) => a - b)[ROUNDS.count >> 1] as number;
  judge.look(
    "I6",
    ROUNDS.count,
    median <= 2 ? [] : [`with a frozen hub, the p99 of emit is ${median.toFixed(1)} times that with one that is up`],
  );
  judge.note(`p99 of emit, frozen to up: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`);
}

async function pendingOf(publishers: readonly Publisher[]): Promise<number> {
  const all = await Promise.all(publishers.map(({ member }) => member.ask<{ counters: { pending: number } }>("counters")));
  return all.reduce((sum, { counters }) => sum + counters.pending, 0);
}

async function timesOf(publishers: readonly Publisher[]): Promise<Times> {
  const [first, ...others] = await Promise.all(publishers.map(({ member }) => member.ask<Times>("times")));
  return { ...(first as Times), count: [first, ...others].reduce((sum, times) => sum + (times?.count ?? 0), 0) };
}

function micro({ p50, p99 }: Times): string {
  return `${(p50 / 1_000).toFixed(1)}/${(p99 / 1_000).toFixed(1)}`;
}

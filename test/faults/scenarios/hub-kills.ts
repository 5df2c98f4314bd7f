import { Judge } from "../judge.ts";
import { killHubs } from "../nemesis.ts";
import { createRandom, totalOf } from "../oracle.ts";
import { Crew, type PublisherSettings } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeFresh, judgeHub, judgeReader } from "../settling.ts";

const KILLS = { short: 3, full: 24 };

/** kill -9 of the hub under load of four publishers; one has a queue so small that it must drop, and say so. */
export const hubKills: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const [judge, random] = [new Judge(), createRandom(seed)];
  const first = await crew.startHub();
  const reader = crew.start("reader");
  const publishers = await Promise.all(["a", "b", "c", "d"].map((name) => crew.startPublisher(settingsOf(name, seed))));
  await Promise.all(publishers.map(({ member }) => member.ask("go")));
  const { hub, hits } = await killHubs(crew, publishers, random, KILLS[size], first);
  const since = size === "full" ? performance.now() : undefined;
  judge.happened(hits === KILLS[size], `${KILLS[size]} kills; ${hits} hit a hub at work`);
  await judgeFresh(judge, crew, publishers[0] as (typeof publishers)[0], since);
  const claims = await claimsOf(publishers);
  judge.happened(
    claims.every(({ counters }) => (counters?.reconnects ?? 0) > 0),
    "every publisher lost its hub",
  );
  await judgeReader(judge, crew, reader);
  const rows = await judgeHub(judge, crew, hub, claims);
  const dropped = claims.map(({ counters }) => totalOf(counters?.dropped ?? {}));
  judge.note(`${hits} kills, ${rows.length} events stored, dropped and counted: ${dropped.join(", ")}`);
  return judge.verdict("hub killed", seed);
};

function settingsOf(name: string, seed: number): PublisherSettings {
  const base = { name, seed: seed + name.charCodeAt(0), burst: 20, everyMs: 20 };
  return name === "d" ? { ...base, maxCount: 200 } : base;
}

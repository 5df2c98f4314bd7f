import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Judge } from "../judge.ts";
import { killHubs } from "../nemesis.ts";
import { createRandom } from "../oracle.ts";
import { Crew, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeHub } from "../settling.ts";
import { expectedOf, judgeSink } from "../sink-rows.ts";

const KILLS = { short: 2, full: 10 };

/** kill -9 of a hub that feeds a file: all that was acknowledged is in the file, and what is there twice is the same both times. */
export const sinkKills: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const [judge, random] = [new Judge(), createRandom(seed)];
  const path = join(crew.folder, "out.jsonl");
  crew.configure(`[[sink]]\ntype = "jsonl"\nname = "kept"\npath = "${path}"\n`);
  const first = await crew.startHub();
  const publishers = await Promise.all(
    ["a", "b"].map((name, index) => crew.startPublisher({ name, seed: seed + index, burst: 20, everyMs: 20 })),
  );
  await Promise.all(publishers.map(({ member }) => member.ask("go")));
  const { hub, hits } = await killHubs(crew, publishers, random, KILLS[size], first);
  judge.happened(hits === KILLS[size], `${KILLS[size]} kills; ${hits} hit a hub at work`);
  const claims = await claimsOf(publishers);
  await until("the sink has caught up", async () => {
    const { sinks } = await crew.get<{ sinks: { behind: number }[] }>("/api/sinks");
    return sinks.length === 1 && sinks[0]?.behind === 0;
  });
  const rows = await judgeHub(judge, crew, hub, claims);
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  const got = lines.map((line) => JSON.parse(line) as { id: string; payload: unknown });
  judgeSink(
    judge,
    "the file",
    got.map(({ id, payload }) => ({ id, payload: JSON.stringify(payload) })),
    expectedOf(rows),
  );
  judge.note(`${lines.length} lines for ${rows.length} events over ${hits} kills`);
  return judge.verdict("hub with a sink killed", seed);
};

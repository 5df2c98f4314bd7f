import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fillUp, freeUp } from "../full-disk.ts";
import { Judge, judgeStore } from "../judge.ts";
import { onSmallDisk } from "../mount.ts";
import { ackedBy } from "../nemesis.ts";
import { createRandom } from "../oracle.ts";
import { Crew, type Publisher, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeFresh } from "../settling.ts";
import { checkIntegrity, readRows } from "../store-rows.ts";

const ROUNDS = { short: 1, full: 4 };

/** The hub's disk fills up under load and is freed again: nothing is acknowledged that is not stored, and what fits the queues arrives. */
export const diskFull: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const [judge, random] = [new Judge(), createRandom(seed)];
  const data = join(crew.folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const through = onSmallDisk(data, 64);
  if (through === undefined) return { ...judge.verdict("disk full", seed), skipped: "no file system can be mounted here" };
  const hub = await crew.startHub({ data }, through);
  /** As the hub sees it. */
  const inside = join(`/proc/${hub.pid}/root`, data);
  const publishers = await Promise.all(
    ["a", "b"].map((name, index) => crew.startPublisher({ name, seed: seed + index, burst: 8, everyMs: 20 })),
  );
  await Promise.all(publishers.map(({ member }) => member.ask("go")));
  judge.happened(existsSync(join(inside, "ballast")), "there is ballast to begin with");
  let since = performance.now();
  for (let round = 0; round < ROUNDS[size]; round++) {
    await pause(random.between(200, 600));
    judge.happened(await fillUp(crew, inside), "the ballast was given up");
    const acked = await ackedBy(publishers);
    await pause(random.between(300, 800));
    judge.expect("own", hub.isRunning, "the hub died of the full disk");
    judge.note(`${(await ackedBy(publishers)) - acked} acknowledged in the last moments before nothing more fitted`);
    since = performance.now();
    await freeUp(crew, inside);
  }
  await judgeFresh(judge, crew, publishers[0] as Publisher, size === "full" ? since : undefined);
  const claims = await claimsOf(publishers);
  await until("the ballast is back", () => existsSync(join(inside, "ballast")), 60_000).catch((error: Error) =>
    judge.look("own", 1, [error.message]),
  );
  await hub.ask("close");
  cpSync(inside, join(crew.folder, "copy"), { recursive: true });
  await hub.kill();
  const store = join(crew.folder, "copy", "events.db");
  judgeStore(judge, readRows(store), claims);
  judge.expect("I1", checkIntegrity(store) === "ok", "SQLite says that the store is damaged");
  return judge.verdict("disk full", seed);
};

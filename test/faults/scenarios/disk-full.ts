import { closeSync, cpSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
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
    await fillUp(judge, crew, inside);
    const acked = await ackedBy(publishers);
    await pause(random.between(300, 800));
    judge.expect("own", hub.isRunning, "the hub died of the full disk");
    judge.note(`${(await ackedBy(publishers)) - acked} acknowledged in the last moments before nothing more fitted`);
    rmSync(join(inside, "filler"));
    since = performance.now();
    await until("the hub can store again", async () => (await statusOf(crew)) === "ok");
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

/** Takes all the room there is, until the hub says so and its ballast is gone. */
async function fillUp(judge: Judge, crew: Crew, inside: string): Promise<void> {
  const filler = openSync(join(inside, "filler"), "w", 0o600);
  let isReleased = false;
  try {
    await until("the hub says that the disk is full", async () => {
      fill(filler);
      isReleased ||= !existsSync(join(inside, "ballast"));
      return isReleased && (await statusOf(crew)) === "disk_full";
    });
  } finally {
    closeSync(filler);
  }
  judge.happened(isReleased, "the ballast was given up");
}

function fill(fd: number): void {
  for (let bytes = 1024 * 1024; bytes >= 4_096; bytes /= 4) {
    try {
      for (;;) if (writeSync(fd, Buffer.alloc(bytes)) < bytes) break;
    } catch {
      // No room for so many: fewer.
    }
  }
}

async function statusOf(crew: Crew): Promise<string> {
  return (await crew.get<{ status: string }>("/api/hooks/health")).status;
}

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { createRandom } from "./oracle.ts";
import type { Crew, Member, Publisher } from "./processes.ts";
import { until } from "./processes.ts";

type Random = ReturnType<typeof createRandom>;

/** Kills the hub in the middle of its work, again and again, and has it started anew. Gives the last one and how often it hit a working one. */
export async function killHubs(crew: Crew, publishers: readonly Publisher[], random: Random, kills: number, first: Member) {
  let hub = first;
  let hits = 0;
  for (let round = 0; round < kills; round++) {
    await pause(random.between(50, 700));
    const before = await ackedBy(publishers);
    // A hub that has acknowledged nothing since it came back was not under load.
    await until("the hub acknowledges something", async () => (await ackedBy(publishers)) > before);
    const { signal } = await hub.kill();
    if (signal === "SIGKILL") hits++;
    await pause(random.pick([0, 0, random.between(0, 600)]));
    hub = await crew.startHub();
  }
  return { hub, hits };
}

export async function ackedBy(publishers: readonly Publisher[]): Promise<number> {
  const all = await Promise.all(publishers.map(({ member }) => member.ask<{ counters: { acked: number } }>("counters")));
  return all.reduce((sum, { counters }) => sum + counters.acked, 0);
}

/** Stops a process where it stands; gives whether the system says so. */
export async function freeze({ pid, child }: Member): Promise<boolean> {
  child.kill("SIGSTOP");
  await until("the process stops", () => stateOf(pid) === "T", 5_000);
  return true;
}

export function thaw({ child }: Member): void {
  child.kill("SIGCONT");
}

function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2)[0] as string;
}

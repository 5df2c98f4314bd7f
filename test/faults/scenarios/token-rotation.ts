import { setTimeout as pause } from "node:timers/promises";
import { LineClient } from "../../support/line-client.ts";
import { Judge } from "../judge.ts";
import { ackedBy } from "../nemesis.ts";
import { createRandom } from "../oracle.ts";
import { Crew, type Publisher, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeFresh, judgeHub } from "../settling.ts";

const ROTATIONS = { short: 3, full: 12 };

/** New tokens under load: everybody comes back with the new one, nothing is lost, and the old ones are refused everywhere. */
export const tokenRotation: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const [judge, random] = [new Judge(), createRandom(seed)];
  const hub = await crew.startHub();
  const publishers = await Promise.all(
    ["a", "b", "c"].map((name, index) => crew.startPublisher({ name, seed: seed + index, burst: 20, everyMs: 20 })),
  );
  await Promise.all(publishers.map(({ member }) => member.ask("go")));
  const old: string[] = [];
  for (let round = 0; round < ROTATIONS[size]; round++) {
    await pause(random.between(50, 400));
    const before = await ackedBy(publishers);
    await until("the hub acknowledges something", async () => (await ackedBy(publishers)) > before);
    old.push(await hub.ask<string>("rotate"));
  }
  judge.happened(new Set([...old, crew.hubFile().token]).size === ROTATIONS[size] + 1, "every token is another");
  await judgeFresh(judge, crew, publishers[0] as Publisher, size === "full" ? performance.now() : undefined);
  for (const token of old) await judgeOld(judge, crew, token);
  const claims = await claimsOf(publishers);
  judge.happened(
    claims.every(({ counters }) => (counters?.reconnects ?? 0) > 0),
    "every publisher had to come back",
  );
  await judgeHub(judge, crew, hub, claims);
  return judge.verdict("token rotated", seed);
};

async function judgeOld(judge: Judge, crew: Crew, token: string): Promise<void> {
  const { url, line } = crew.hubFile();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const { status } = await fetch(`${url}/api/hooks/ingest`, { method: "POST", headers, body: '{"event_type":"x:y"}' });
  judge.expect("own", status === 401 || status === 429, `an old token was answered with ${status}`);
  const isTaken = await LineClient.attached(line, token).then(
    ({ socket }) => socket.destroy() !== undefined,
    () => false,
  );
  judge.expect("own", !isTaken, "an old token opened the line");
}

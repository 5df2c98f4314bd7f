import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Judge } from "../judge.ts";
import { type Claim, createRandom } from "../oracle.ts";
import { Crew, type Member, type PublisherSettings, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { judgeHub, killPublisher } from "../settling.ts";

const ROUNDS = { short: 2, full: 8 };

/** kill -9 of publishers with `durable: true`, with the hub up and with the hub killed before: every emit that returned is stored. */
export const publisherKills: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const [judge, random] = [new Judge(), createRandom(seed)];
  const claims: Claim[] = [];
  let hub: Member | undefined = await crew.startHub();
  let leftBehind = 0;
  for (let round = 0; round < ROUNDS[size]; round++) {
    const settings = ["a", "b", "c"].map((name, index) => settingsOf(crew, `${name}${round}`, seed + round * 10 + index));
    const publishers = await Promise.all(settings.map((each) => crew.startPublisher(each)));
    await Promise.all(publishers.map(({ member }) => member.ask("go")));
    await pause(random.between(100, 400));
    const isHubDown = round % 2 === 1;
    if (isHubDown) {
      await hub?.kill();
      hub = undefined;
      await pause(random.between(100, 400));
    }
    claims.push(...(await Promise.all(publishers.map(killPublisher))));
    leftBehind += crew.spooled().length;
    hub ??= await crew.startHub();
  }
  judge.happened(leftBehind > 0, "the killed left something in the spool");
  if (size === "full") {
    claims.push(await manySegments(crew, hub, seed));
    hub = await crew.startHub();
  }
  await until("the hub has collected the spool", () => crew.spooled().length === 0);
  const rows = await judgeHub(judge, crew, hub, claims);
  judge.note(`${claims.length} publishers killed, ${leftBehind} segments left behind, ${rows.length} events stored`);
  return judge.verdict("publisher killed", seed);
};

/** More than ten segments, which must come in by their numbers. */
async function manySegments(crew: Crew, hub: Member, seed: number): Promise<Claim> {
  await hub.kill();
  const large = await crew.startPublisher({ ...settingsOf(crew, "large", seed), minChars: 900_000 });
  await large.member.ask("emit", { count: 48 });
  return killPublisher(large);
}

function settingsOf(crew: Crew, name: string, seed: number): PublisherSettings {
  return { name, seed, burst: 30, everyMs: 10, durable: true, progress: join(crew.folder, `${name}.progress`) };
}

import { setTimeout as pause } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import { Judge } from "../../faults/judge.ts";
import { freeze, thaw } from "../../faults/nemesis.ts";
import { createRandom } from "../../faults/oracle.ts";
import { until } from "../../faults/processes.ts";
import { CutProxy } from "./cut-proxy.ts";
import { FleetCrew, type Host } from "./fleet-crew.ts";
import { badPolicies, replayed } from "./policy-scenarios.ts";
import { type FleetScenario, HOSTS } from "./scenario.ts";

/** Kills in the middle of work, again and again. */
async function rounds(
  crew: FleetCrew,
  count: number,
  random: ReturnType<typeof createRandom>,
  strike: (round: number) => Promise<boolean>,
): Promise<number> {
  let hits = 0;
  for (let round = 0; round < count; round++) {
    await crew.flowing();
    await pause(random.between(20, 300));
    if (await strike(round)) hits++;
  }
  return hits;
}

const hostKills: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const [judge, random, wanted] = [new Judge(), createRandom(seed), isQuick ? 3 : 28];
  const kills = await rounds(crew, wanted, random, async () => {
    const host = random.pick(crew.hosts) as Host;
    const isHit = await crew.killHost(host);
    await pause(random.pick([0, 0, random.between(0, 500)]));
    await crew.startHost(host);
    return isHit;
  });
  judge.happened(kills === wanted, `${wanted} kills of host hubs; ${kills} hit one at work`);
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("host hubs killed", seed), kills };
};

const fleetHubKills: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const [judge, random, wanted] = [new Judge(), createRandom(seed), isQuick ? 3 : 32];
  const kills = await rounds(crew, wanted, random, async () => {
    const isHit = await crew.killFleetHub();
    await pause(random.pick([0, 0, random.between(0, 500)]));
    await crew.startFleetHub();
    return isHit;
  });
  judge.happened(kills === wanted, `${wanted} kills of the fleet hub; ${kills} hit it at work`);
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("fleet hub killed", seed), kills };
};

const serverKills: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const [judge, random, wanted] = [new Judge(), createRandom(seed), isQuick ? 3 : 26];
  const kills = await rounds(crew, wanted, random, async () => {
    await crew.fixture.killServer(0);
    await pause(random.pick([0, 0, random.between(0, 800)]));
    await crew.fixture.startServer(0);
    return true;
  });
  judge.happened(kills === wanted, `${wanted} kills of the server`);
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("server killed", seed), kills };
};

/** One server of three at a time, while the others go on. */
const clusterKills: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS, servers: 3 });
  const [judge, random, wanted] = [new Judge(), createRandom(seed), isQuick ? 2 : 14];
  const kills = await rounds(crew, wanted, random, async (round) => {
    const index = round % 3;
    await crew.fixture.killServer(index);
    await pause(random.between(0, 1500));
    await crew.fixture.startServer(index);
    return true;
  });
  judge.happened(kills === wanted, `${wanted} kills of a server of the cluster`);
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("cluster: one of three killed", seed), kills };
};

/** SIGSTOP of each kind of process in turn: it neither answers nor closes its connections. */
const stopped: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const judge = new Judge();
  const ms = isQuick ? 2000 : 20_000;
  const [host] = crew.hosts as [Host];
  for (const member of [host.hub, crew.fleetHub]) {
    if (member === undefined) continue;
    await crew.flowing();
    judge.happened(await freeze(member), "the process was stopped");
    await pause(ms);
    thaw(member);
  }
  const { pid } = crew.fixture.servers[0] ?? {};
  await crew.flowing();
  process.kill(Number(pid), "SIGSTOP");
  await pause(ms / 2);
  const before = crew.stored();
  await pause(ms / 2);
  judge.happened(crew.stored() === before, "nothing passed the stopped server");
  process.kill(Number(pid), "SIGCONT");
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("processes stopped (SIGSTOP)", seed), kills: 0 };
};

const dropped: FleetScenario = async ({ program, seed, isQuick }) => {
  const proxy = new CutProxy();
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS, through: (port) => proxy.listen(port) });
  const [judge, random, wanted] = [new Judge(), createRandom(seed), isQuick ? 3 : 25];
  await rounds(crew, wanted, random, async (round) => {
    if (round % 5 === 4) {
      proxy.stall(true);
      await pause(isQuick ? 500 : 3000);
      proxy.stall(false);
    }
    proxy.cut();
    return true;
  });
  judge.happened(proxy.cuts === wanted, `${wanted} times all connections of the hosts were cut`);
  await crew.judge(judge, performance.now());
  proxy.close();
  return { ...judge.verdict("connections dropped and stalled", seed), kills: 0 };
};

/** The server loses everything: streams, buckets, consumers. The admin makes them anew, and the hosts send again what is not confirmed. */
const wiped: FleetScenario = async ({ program, seed, isQuick }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const [judge, random, wanted] = [new Judge(), createRandom(seed), isQuick ? 1 : 4];
  const kills = await rounds(crew, wanted, random, async () => {
    await crew.fixture.killServer(0);
    crew.fixture.wipe(0);
    await crew.fixture.startServer(0);
    const manager = await jetstreamManager(await crew.fixture.admin(), { checkAPI: false });
    await until("the admin is connected again", () =>
      manager.streams
        .names()
        .next()
        .then(
          () => true,
          () => false,
        ),
    );
    judge.happened((await manager.streams.names().next()).length === 0, "the server has no stream left");
    await crew.fixture.ensure();
    return true;
  });
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("storage of the server deleted", seed), kills };
};

/** No fleet hub reads, and the streams are small: the server refuses, and the hosts keep what they have. */
const full: FleetScenario = async ({ program, seed }) => {
  const limits = { eventBytes: 16 * 1024 * 1024 };
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS, limits, hasFleetHub: false, burst: 25, minChars: 400 });
  const judge = new Judge();
  for (const host of crew.hosts)
    await until(`the stream of ${host.name} is full`, async () => (await crew.statusOf(host)).state === "full", 120_000);
  judge.happened(true, "the streams were full");
  await crew.startFleetHub();
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("stream full", seed), kills: 0 };
};

/** A host's credential is revoked under load. Later it gets a new one, and everything of the time between arrives. */
const revoked: FleetScenario = async ({ program, seed }) => {
  await using crew = await FleetCrew.start({ program, seed, hosts: HOSTS });
  const judge = new Judge();
  const [host] = crew.hosts as [Host];
  await crew.flowing();
  crew.fixture.tenant.remove("host", host.name);
  crew.fixture.reload();
  await until("the host is locked out", async () => (await crew.statusOf(host)).isConnected === false);
  const { confirmed = 0 } = await crew.statusOf(host);
  await pause(2000);
  judge.expect("own", (await crew.statusOf(host)).confirmed === confirmed, "a revoked host still delivers");
  await crew.flowing();
  const settings = crew.fixture.settings("host", host.name);
  crew.fixture.reload();
  await crew.rejoin(host, settings);
  await crew.killHost(host);
  await crew.startHost(host);
  await crew.judge(judge, performance.now());
  return { ...judge.verdict("credential revoked, then a new one", seed), kills: 1 };
};

export const fleetScenarios: { readonly [name: string]: FleetScenario } = {
  hosts: hostKills,
  hub: fleetHubKills,
  server: serverKills,
  cluster: clusterKills,
  stopped,
  dropped,
  wiped,
  full,
  revoked,
  policies: badPolicies,
  replayed,
};

import { createPrivateKey } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetEvents, FleetSettings, StoredEvent } from "hookline/internal/fleet";
import { accessOf, type Credential } from "../../packages/fleet/dist/credentials/credential.js";
import { openPinnedRoster } from "../../packages/fleet/dist/credentials/pinned-roster.js";
import { publishRoster } from "../../packages/fleet/dist/credentials/published-roster.js";
import { EventSink } from "../../packages/fleet/dist/host/event-sink.js";
import { followPolicy, policyFacts } from "../../packages/fleet/dist/host/policy-channel.js";
import { announcePresence } from "../../packages/fleet/dist/host/presence.js";
import { connectServer } from "../../packages/fleet/dist/nats/connect.js";
import { followLink } from "../../packages/fleet/dist/nats/link.js";
import { pushBundle, readChannel, readHistory } from "../../packages/fleet/dist/nats/policy-store.js";
import { packBundle, readBundle } from "../../packages/hookline/dist/bundles/bundle.js";
import { createBundlePolicy } from "../../packages/hookline/dist/hub/bundles/bundle-policy.js";
import { Crew } from "../../test/faults/processes.ts";
import { FleetFixture, until } from "../../test/fleet/fleet-fixture.ts";
import { DAY_MS, wordRule } from "../../test/support/word-rule.ts";
import { latencyOf } from "../line/statistics.ts";
import { lineOf } from "../line/workload.ts";
import { fleetOf } from "./hub-requests.ts";
import type { Measurement, Row } from "./measurement.ts";
import { residentKb } from "./process-use.ts";

const EVENTS = 10;
const AT_ONCE = 50;
const LIMIT_MS = 400_000;

/** A host without a hub: a connection, presence, some events, and a policy that it checks, tries out and keeps on disk like a hub. */
interface SimulatedHost {
  activeSerial(): number | undefined;
  /** When its policy was another one for the last time. */
  changedAt(): number;
}

/** Hosts that are simulated in this process, and a fleet hub that is not. */
export const manyHosts: Measurement = async ({ program, hosts: count }) => {
  const fleet = await FleetFixture.start({ program });
  const hubCrew = new Crew();
  // In memory, where that is possible: hosts do not share one disk.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "hl-hosts-"));
  try {
    const hub = fleet.settings("hub", "main");
    const settings = Array.from({ length: count }, (_, index) => fleet.settings("host", `h${index}`));
    const pia = fleet.tenant.addPerson("pia", "policy");
    fleet.reload();
    await fleet.ensure();
    await publishRoster(await fleet.admin(), fleet.tenant.signedRoster);
    await fleet.join(hub, hubCrew.state);
    const { pid } = await hubCrew.startHub();
    await until("the fleet hub is connected", async () => (await fleetOf(hubCrew)).status?.isConnected === true);
    const before = residentKb(pid);
    const start = performance.now();
    const hosts: SimulatedHost[] = [];
    for (let at = 0; at < count; at += AT_ONCE)
      hosts.push(...(await Promise.all(settings.slice(at, at + AT_ONCE).map((own) => simulate(own, join(folder, own.name))))));
    const connectedMs = performance.now() - start;
    const present = async (): Promise<number> =>
      ((await fleetOf(hubCrew)).hosts ?? []).filter(({ isPresent, position }) => isPresent && position === EVENTS).length;
    await until("all hosts are present and stored", async () => (await present()) === count, LIMIT_MS);
    const allMs = performance.now() - start;
    await sleep(2000);
    const kb = (residentKb(pid) - before) / count;
    const pushed = await pushRows(pia, hosts);
    return [
      [`${count} hosts connected`, seconds(connectedMs), ""],
      [`${count} hosts present, ${EVENTS} events of each stored`, seconds(allMs), ""],
      ["memory of the fleet hub per host", `${kb.toFixed(1)} kB`, ""],
      ...pushed,
    ];
  } finally {
    await hubCrew[Symbol.asyncDispose]();
    await fleet.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A first policy, then one that replaces it: from the push until each host has it in force. */
async function pushRows(person: Credential, hosts: readonly SimulatedHost[]): Promise<Row[]> {
  const connection = await connectServer(accessOf(person), { name: "pia" });
  const rows: Row[] = [];
  for (const word of ["curl", "wget"]) {
    const start = performance.now();
    const serial = await push(connection, person, word);
    await until(`all hosts have ${word}`, () => hosts.every((host) => host.activeSerial() === serial), LIMIT_MS);
    const { p50, p99 } = latencyOf(Float64Array.from(hosts, (host) => host.changedAt() - start));
    rows.push([`policy push ${serial} until active on ${hosts.length} hosts, p50`, seconds(p50), ""], ["the same, p99", seconds(p99), ""]);
  }
  await connection.close();
  return rows;
}

async function push(connection: NatsConnection, { name, signingKey = "" }: Credential, word: string): Promise<number> {
  const read = { channel: await readChannel(connection, "stable"), history: await readHistory(connection) };
  const serial = Math.max(0, ...read.history.value.map((one) => one.serial)) + 1;
  const files = new Map([["rules.toml", Buffer.from(wordRule(`no-${word}`, word))]]);
  const notAfter = Date.now() + DAY_MS;
  const options = { name: "bench", channel: "stable", serial, notAfter, signer: { name, key: createPrivateKey(signingKey) } } as const;
  const bytes = packBundle(files, new Set(), options);
  await pushBundle(
    connection,
    bytes,
    { channel: "stable", name: "bench", serial, digest: readBundle(bytes).digest, notAfter, signer: name },
    read,
  );
  return serial;
}

async function simulate(settings: FleetSettings, state: string): Promise<SimulatedHost> {
  const { name: host, fleet, rootKey } = settings;
  const folder = join(state, "fleet");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const onProblem = (): void => {};
  const policy = createBundlePolicy({ state, data: state, alarm: onProblem, onProblem, isJoined: () => true });
  await policy.configure({});
  let changedAt = Number.NaN;
  policy.onChanged(async () => {
    changedAt = performance.now();
  });
  const roster = openPinnedRoster({ folder, rootKey, fleet, onProblem });
  const connection = await connectServer(settings, { name: host, forever: true });
  const link = followLink(connection);
  const events = simulatedEvents(host, EVENTS);
  const sink = new EventSink({ connection, link, events, fleet, host, onProblem });
  const facts = () => ({ store: events.storeId, ...policyFacts(policy), ...sink.state });
  const presence = announcePresence({ connection, link, host, facts });
  followPolicy({ connection, link, settings, policy, roster, onProblem, onTaken: presence.changed });
  return { activeSerial: () => policy.status().bundle?.serial, changedAt: () => changedAt };
}

/** A store with a few events, in memory. */
function simulatedEvents(name: string, count: number): FleetEvents {
  const stored = Array.from({ length: count }, (_, index): StoredEvent => ({ place: index + 1, body: lineOf(index, { run: name }) }));
  const marks = new Map<string, number>();
  const unused = (): never => {
    throw new Error("A host only sends.");
  };
  return {
    storeId: Buffer.from(name.padEnd(16, "-")).toString("hex").slice(0, 32),
    after: async (position, limit) => stored.slice(position, position + limit),
    lastPosition: async () => count,
    onStored: () => () => {},
    accept: unused,
    append: unused,
    mark: async (mark) => marks.get(mark),
    marks: async () => ({}),
    setMark: async (mark, value) => void marks.set(mark, value),
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

// npm run bench:fleet -- [--only confirmed,hosts,decision] [--events <count>] [--hosts <count>] [--rounds <count>]
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { DiscardPolicy, jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { headers, type NatsConnection, nuid } from "@nats-io/transport-node";
import type { FleetEvents, StoredEvent } from "hookline/internal/fleet";
import { EventSink } from "../../packages/fleet/dist/host/event-sink.js";
import { announcePresence } from "../../packages/fleet/dist/host/presence.js";
import { connectServer } from "../../packages/fleet/dist/nats/connect.js";
import { followLink } from "../../packages/fleet/dist/nats/link.js";
import { getNatsServer } from "../../scripts/nats-server.ts";
import { Crew, type Member } from "../../test/faults/processes.ts";
import { FleetFixture, until } from "../../test/fleet/fleet-fixture.ts";
import { interleave, median, ratios } from "../line/statistics.ts";
import { lineOf } from "../line/workload.ts";
import { machine } from "../report.ts";
import { alignedTable } from "../table.ts";

const BATCH = 500;
const STREAM = "BENCH";
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "confirmed,hosts,decision" },
    events: { type: "string", default: "20000" },
    hosts: { type: "string", default: "1000" },
    rounds: { type: "string", default: "9" },
  },
});
const [events, hosts, rounds] = [Number(values.events), Number(values.hosts), Number(values.rounds)];
const server = getNatsServer();
if ("missing" in server) {
  console.error(`The fleet is not measured: ${server.missing}.`);
  process.exit(0);
}
setTimeout(() => fail("The bench took more than 20 minutes."), 20 * 60_000).unref();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => fail(`Ended by ${signal}.`));

const rows: string[][] = [];
const measurements: { readonly [name: string]: (program: string) => Promise<void> } = { confirmed, hosts: manyHosts, decision };
for (const name of values.only.split(",")) {
  const measure = measurements[name];
  if (measure === undefined) fail(`There is no measurement "${name}". There are: ${Object.keys(measurements).join(", ")}.`);
  process.stderr.write(`${name} …\n`);
  await measure(server.program);
}
console.log(`${machine()}\n\n${alignedTable({ head: ["what", "measured", "wanted"], firstNumber: 3, rows })}`);
process.exit(0);

/** Host → fleet's store, until the host knows it, against the server alone. */
async function confirmed(program: string): Promise<void> {
  const fleet = await FleetFixture.start({ program });
  const [hostCrew, hubCrew] = [new Crew(), new Crew()];
  try {
    const [hub, host] = [fleet.settings("hub", "main"), fleet.settings("host", "bench")];
    fleet.reload();
    await fleet.ensure();
    await fleet.join(hub, hubCrew.state);
    await hubCrew.startHub();
    await hostCrew.startHub();
    const admin = await fleet.admin();
    await (await jetstreamManager(admin)).streams.add({
      name: STREAM,
      subjects: ["bench.>"],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_bytes: 256 * 1024 * 1024,
      allow_atomic: true,
    });
    const single = Math.min(events, 2000);
    const rate = await interleave(rounds, {
      fleet: async (round) => {
        rmSync(join(hostCrew.state, "fleet", "fleet.json"), { force: true });
        await post(hostCrew, "/api/fleet/follow");
        await feed(hostCrew, `fleet-${round}`);
        fleet.state(host, hostCrew.state);
        const start = performance.now();
        await post(hostCrew, "/api/fleet/follow");
        await until("everything is confirmed", async () => isConfirmed(hostCrew), 300_000);
        return events / (performance.now() - start);
      },
      batches: (round) => publish(admin, { count: events, run: `bare-${round}`, isBatched: true }),
      single: (round) => publish(admin, { count: single, run: `single-${round}`, isBatched: false }),
    });
    const perSecond = (name: string): string => `${Math.round(median(rate(name)) * 1000).toLocaleString("en")} events/s`;
    rows.push(
      ["host → fleet's store, confirmed", perSecond("fleet"), ""],
      [`bare atomic batches of ${BATCH}`, perSecond("batches"), ""],
      ["one acknowledged publish per event", perSecond("single"), ""],
      ["× bare batches", median(ratios(rate("fleet"), rate("batches"))).toFixed(2), "≥ 0.6"],
      ["× single publishes", median(ratios(rate("fleet"), rate("single"))).toFixed(1), "≥ 5"],
    );
  } finally {
    await hostCrew[Symbol.asyncDispose]();
    await hubCrew[Symbol.asyncDispose]();
    await fleet.close();
  }
}

async function isConfirmed(crew: Crew): Promise<boolean> {
  const { status } = await crew.get<{ status?: { confirmed?: number; last?: number } }>("/api/fleet");
  return status?.confirmed !== undefined && status.confirmed > 0 && status.confirmed === status.last;
}

async function feed(crew: Crew, run: string): Promise<void> {
  for (let at = 0; at < events; at += 4000) {
    const lines = Array.from({ length: Math.min(4000, events - at) }, (_, index) => lineOf(at + index, { run }));
    await post(crew, "/api/hooks/ingest", lines.join("\n"), "application/x-ndjson");
  }
}

async function post(crew: Crew, path: string, body = "{}", type = "application/json"): Promise<void> {
  const { url, token } = crew.hubFile();
  const secret = type === "application/json" ? crew.operatorToken() : token;
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${secret}`, "content-type": type },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

interface Published {
  readonly count: number;
  readonly run: string;
  readonly isBatched: boolean;
}

/** Events of the same size, straight to the server. Gives events per millisecond. */
async function publish(connection: NatsConnection, { count, run, isBatched }: Published): Promise<number> {
  const lines = Array.from({ length: count }, (_, index) => lineOf(index, { run }));
  const js = jetstream(connection);
  const start = performance.now();
  if (!isBatched) for (const line of lines) await js.publish("bench.single", line);
  for (let at = 0; isBatched && at < count; at += BATCH) {
    const id = nuid.next();
    const batch = lines.slice(at, at + BATCH);
    for (const [index, line] of batch.entries()) {
      const fields = headers();
      fields.set("Nats-Batch-Id", id);
      fields.set("Nats-Batch-Sequence", String(index + 1));
      if (index < batch.length - 1) connection.publish("bench.batch", line, { headers: fields });
      else {
        fields.set("Nats-Batch-Commit", "1");
        const { error } = (await connection.request("bench.batch", line, { headers: fields, timeout: 10_000 })).json<{ error?: object }>();
        if (error !== undefined) throw new Error(JSON.stringify(error));
      }
    }
  }
  return count / (performance.now() - start);
}

/** Hosts that are simulated in this process, each with a connection, presence and some events of its own. */
async function manyHosts(program: string): Promise<void> {
  const fleet = await FleetFixture.start({ program });
  const hubCrew = new Crew();
  try {
    const hub = fleet.settings("hub", "main");
    const settings = Array.from({ length: hosts }, (_, index) => fleet.settings("host", `h${index}`));
    fleet.reload();
    await fleet.ensure();
    await fleet.join(hub, hubCrew.state);
    const member = await hubCrew.startHub();
    await until("the fleet hub is connected", async () => (await fleetOf(hubCrew)).status?.isConnected === true);
    const before = residentKb(member);
    const start = performance.now();
    for (let at = 0; at < settings.length; at += 50)
      await Promise.all(
        settings.slice(at, at + 50).map(async (own) => {
          const connection = await connectServer(own, { name: own.name, forever: true });
          const link = followLink(connection);
          const simulated = simulatedEvents(own.name, 10);
          const sink = new EventSink({ connection, link, events: simulated, fleet: own.fleet, host: own.name, onProblem: () => {} });
          announcePresence({ connection, link, host: own.name, facts: () => ({ store: simulated.storeId, ...sink.state }) });
        }),
      );
    const connectedMs = performance.now() - start;
    const isThere = ({ isPresent, position }: FleetHostRow): boolean => isPresent && position === 10;
    await until(
      "all hosts are present and stored",
      async () => ((await fleetOf(hubCrew)).hosts ?? []).filter(isThere).length === hosts,
      300_000,
    );
    const allMs = performance.now() - start;
    await sleep(2000);
    rows.push(
      [`${hosts} hosts connected`, `${(connectedMs / 1000).toFixed(1)} s`, ""],
      [`${hosts} hosts present, 10 events of each stored`, `${(allMs / 1000).toFixed(1)} s`, ""],
      ["memory of the fleet hub per host", `${((residentKb(member) - before) / hosts).toFixed(1)} kB`, ""],
    );
  } finally {
    await hubCrew[Symbol.asyncDispose]();
    await fleet.close();
  }
}

interface FleetHostRow {
  readonly isPresent: boolean;
  readonly position: number;
}

function fleetOf(crew: Crew): Promise<{ readonly status?: { readonly isConnected?: boolean }; readonly hosts?: readonly FleetHostRow[] }> {
  return crew.get("/api/fleet");
}

/** A store with a few events, in memory. */
function simulatedEvents(name: string, count: number): FleetEvents {
  const stored = Array.from({ length: count }, (_, index): StoredEvent => ({ place: index + 1, body: lineOf(index, { run: name }) }));
  const marks = new Map<string, number>();
  const unused = (): never => fail("A host only sends.");
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

function residentKb({ pid }: Member): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN);
}

/** A decision on a host that has joined and sends events, against the same on a hub alone that stores them. */
async function decision(program: string): Promise<void> {
  const fleet = await FleetFixture.start({ program });
  const crews = { joined: new Crew(), alone: new Crew() };
  const hubCrew = new Crew();
  try {
    const [hub, host] = [fleet.settings("hub", "main"), fleet.settings("host", "bench")];
    fleet.reload();
    await fleet.ensure();
    await fleet.join(hub, hubCrew.state);
    await fleet.join(host, crews.joined.state);
    await hubCrew.startHub();
    await Promise.all([crews.joined.startHub(), crews.alone.startHub()]);
    const times = await interleave(rounds, {
      joined: () => decide(crews.joined),
      alone: () => decide(crews.alone),
    });
    rows.push(
      ["decision on a hub alone, p50", `${median(times("alone")).toFixed(0)} µs`, ""],
      ["decision on a joined host, p50", `${median(times("joined")).toFixed(0)} µs`, ""],
      ["joined / alone", median(ratios(times("joined"), times("alone"))).toFixed(3), "≤ 1.05"],
    );
  } finally {
    for (const crew of [crews.joined, crews.alone, hubCrew]) await crew[Symbol.asyncDispose]();
    await fleet.close();
  }
}

/** The median of some decisions over HTTP, in microseconds. Each is stored, and so sent to the fleet. */
async function decide(crew: Crew): Promise<number> {
  const { url, token } = crew.hubFile();
  const body = JSON.stringify({ event: "tool:before", payload: { tool: { name: "bash", input: { command: "npm test" } } } });
  const taken: number[] = [];
  for (let call = 0; call < 300; call++) {
    const start = performance.now();
    const answer = await fetch(`${url}/api/decide`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`/api/decide: ${answer.status}`);
    taken.push((performance.now() - start) * 1000);
  }
  return median(taken);
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

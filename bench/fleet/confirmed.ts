import { rmSync } from "node:fs";
import { join } from "node:path";
import { DiscardPolicy, jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { headers, type NatsConnection, nuid } from "@nats-io/transport-node";
import { Crew } from "../../test/faults/processes.ts";
import { FleetFixture, until } from "../../test/fleet/fleet-fixture.ts";
import { interleave, median, ratios } from "../line/statistics.ts";
import { lineOf } from "../line/workload.ts";
import { fleetOf, post } from "./hub-requests.ts";
import type { Measurement } from "./measurement.ts";
import { cpuMs } from "./process-use.ts";

const BATCH = 500;
const STREAM = "BENCH";

/** Host → fleet's store, until the host knows it, against the server alone. The time to join is part of it. */
export const confirmed: Measurement = async ({ program, events, rounds }) => {
  const fleet = await FleetFixture.start({ program });
  const [hostCrew, hubCrew] = [new Crew(), new Crew()];
  try {
    const [hub, host] = [fleet.settings("hub", "main"), fleet.settings("host", "bench")];
    fleet.reload();
    await fleet.ensure();
    await fleet.join(hub, hubCrew.state);
    const members = { "fleet hub": await hubCrew.startHub(), "host's hub": await hostCrew.startHub(), server: fleet.servers[0] };
    const admin = await fleet.admin();
    await (await jetstreamManager(admin)).streams.add({
      name: STREAM,
      subjects: ["bench.>"],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_bytes: 256 * 1024 * 1024,
      allow_atomic: true,
    });
    const used = Object.keys(members).map((name) => [name, [] as number[]] as const);
    const usedNow = (): number[] => Object.values(members).map((member) => cpuMs(Number(member?.pid)));
    const rate = await interleave(rounds, {
      fleet: async (round) => {
        rmSync(join(hostCrew.state, "fleet", "fleet.json"), { force: true });
        await post(hostCrew, "/api/fleet/follow");
        await feed(hostCrew, events, `fleet-${round}`);
        // The index of the text follows what is stored; it is not part of the way to the fleet.
        await until("the host has indexed everything", () => isIndexed(hostCrew), 300_000);
        fleet.state(host, hostCrew.state);
        const [before, start] = [usedNow(), performance.now()];
        await post(hostCrew, "/api/fleet/follow");
        await until("everything is confirmed", () => isConfirmed(hostCrew), 300_000);
        const ms = performance.now() - start;
        for (const [index, now] of usedNow().entries()) used[index]?.[1].push(((now - (before[index] ?? 0)) * 1000) / events);
        // Neither is that of the fleet hub, which must not slow down what is measured next.
        await until("the fleet hub has indexed everything", () => isIndexed(hubCrew), 300_000);
        return events / ms;
      },
      batches: (round) => publish(admin, { count: events, run: `bare-${round}`, isBatched: true }),
      single: (round) => publish(admin, { count: Math.min(events, 2000), run: `single-${round}`, isBatched: false }),
    });
    const perSecond = (name: string): string => `${Math.round(median(rate(name)) * 1000).toLocaleString("en")} events/s`;
    return [
      ["host → fleet's store, confirmed", perSecond("fleet"), ""],
      [`bare atomic batches of ${BATCH}`, perSecond("batches"), ""],
      ["one acknowledged publish per event", perSecond("single"), ""],
      ["× bare batches", median(ratios(rate("fleet"), rate("batches"))).toFixed(2), "≥ 0.6"],
      ["× single publishes", median(ratios(rate("fleet"), rate("single"))).toFixed(1), "≥ 5"],
      ...used.map(([name, values]) => [`processor time per event: ${name}`, `${median(values).toFixed(0)} µs`, ""] as const),
    ];
  } finally {
    await hostCrew[Symbol.asyncDispose]();
    await hubCrew[Symbol.asyncDispose]();
    await fleet.close();
  }
};

async function isConfirmed(crew: Crew): Promise<boolean> {
  const { status } = await fleetOf(crew);
  return status?.confirmed !== undefined && status.confirmed > 0 && status.confirmed === status.last;
}

async function isIndexed(crew: Crew): Promise<boolean> {
  return (await crew.get<{ readonly store?: { readonly unindexed: number } }>("/api/status")).store?.unindexed === 0;
}

async function feed(crew: Crew, events: number, run: string): Promise<void> {
  for (let at = 0; at < events; at += 4000) {
    const lines = Array.from({ length: Math.min(4000, events - at) }, (_, index) => lineOf(at + index, { run }));
    await post(crew, "/api/hooks/ingest", lines.join("\n"));
  }
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

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atLeast, atMost, type Finding, type Measurement } from "./measurement.ts";
import { buildPrevious } from "./previous.ts";
import type { HubMethods } from "./processes/hub.ts";
import type { PlainClientMethods } from "./processes/plain-client.ts";
import type { PlainServerMethods } from "./processes/plain-server.ts";
import type { PublisherMethods } from "./processes/publisher.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";
import type { RunningProcess } from "./start-process.ts";
import { interleave, median, ratios } from "./statistics.ts";

const ROUNDS = 5;
const EVENTS = 100_000;
const ALTERNATIVE_EVENTS = 1_000;
const SENDERS = 16;
/** Publishers at once. */
const CROWDS = [2, 8];

/** One process to the hub's disk and back, against the version before, and against one request or one connection per event. */
export const intake: Measurement = {
  name: "intake",
  async run(sandbox, say) {
    const hub = await sandbox.start<HubMethods>("hub");
    const publisher = await sandbox.start<PublisherMethods>("publisher");
    const client = await sandbox.start<PlainClientMethods>("plain-client");
    const server = await sandbox.start<PlainServerMethods>("plain-server");
    const path = join(sandbox.sockets, "plain.sock");
    mkdirSync(join(sandbox.folder, "plain"), { mode: 0o700 });
    await server.ask("keep", path, join(sandbox.folder, "plain"));
    const { file } = await hub.ask("info");
    const others = await Promise.all(Array.from({ length: Math.max(...CROWDS) - 1 }, () => sandbox.start<PublisherMethods>("publisher")));
    const before = await openSide(openSandbox(buildPrevious(say)));
    for (const each of [publisher, ...others]) {
      await each.ask("attached");
      await each.ask("publish", 20_000);
    }
    const costs: Cost[] = [];
    const costsBefore: Cost[] = [];

    /** Nobody is measured while the one before is still being indexed. */
    const settle = async (): Promise<number> => {
      const start = performance.now();
      for (;;) {
        const sides = await Promise.all([hub, before.hub].map((side) => side.ask("stats")));
        const behind = sides.reduce((sum, { unindexed }) => sum + unindexed, await server.ask("unindexed"));
        if (behind === 0) return performance.now() - start;
        await sleep(50);
      }
    };
    const alternative = (send: () => Promise<number>) => async (): Promise<number> => {
      await settle();
      return (ALTERNATIVE_EVENTS / (await send())) * 1_000;
    };
    /** Events per second, and what each cost. */
    const publish = async (side: Pick<Side, "hub" | "publisher">, into: Cost[]): Promise<number> => {
      await settle();
      const spent = await meter(side.hub);
      const { ms, cpuMs, lost } = await side.publisher.ask("publish", EVENTS);
      if (lost !== 0) throw new Error(`${lost} events were not acknowledged.`);
      const hub = await spent();
      const catchUpMs = await settle();
      into.push({ publisher: cpuMs / EVENTS, hub, indexed: await spent(), catchUpMs });
      return (EVENTS / ms) * 1_000;
    };
    const crowd = (count: number) => async (): Promise<number> => {
      await settle();
      const start = performance.now();
      await Promise.all([publisher, ...others].slice(0, count).map((each) => each.ask("publish", EVENTS / count)));
      return (EVENTS / (performance.now() - start)) * 1_000;
    };
    const rates = await interleave(ROUNDS, {
      line(round) {
        say(`round ${round + 1} of ${ROUNDS}`);
        return publish({ hub, publisher }, costs);
      },
      before: () => publish(before, costsBefore),
      ...Object.fromEntries(CROWDS.map((count) => [`crowd ${count}`, crowd(count)])),
      post: alternative(() => client.ask("postEach", ALTERNATIVE_EVENTS, 1, file)),
      posts: alternative(() => client.ask("postEach", ALTERNATIVE_EVENTS, SENDERS, file)),
      connect: alternative(() => client.ask("connectEach", ALTERNATIVE_EVENTS, 1, path)),
      connects: alternative(() => client.ask("connectEach", ALTERNATIVE_EVENTS, SENDERS, path)),
    });
    await before.sandbox.close();
    return findings(rates, costs, costsBefore);
  },
};

interface Side {
  readonly sandbox: Sandbox;
  readonly hub: RunningProcess<HubMethods>;
  readonly publisher: RunningProcess<PublisherMethods>;
}

async function openSide(sandbox: Sandbox): Promise<Side> {
  const hub = await sandbox.start<HubMethods>("hub");
  const publisher = await sandbox.start<PublisherMethods>("publisher");
  await publisher.ask("attached");
  await publisher.ask("publish", 20_000);
  return { sandbox, hub, publisher };
}

/** Milliseconds of processor time per event, and how long the index took after the last. */
interface Cost {
  readonly publisher: number;
  /** Until the last is acknowledged. */
  readonly hub: number;
  /** Until the text index has them all: versions differ in when they index. */
  readonly indexed: number;
  readonly catchUpMs: number;
}

/** Reads how many milliseconds per event a hub has used since. */
async function meter(hub: RunningProcess<HubMethods>): Promise<() => Promise<number>> {
  const used = async (): Promise<number> => {
    const { user, system } = await hub.ask("cpu");
    return (user + system) / 1_000;
  };
  const start = await used();
  return async () => ((await used()) - start) / EVENTS;
}

function findings(rates: (name: string) => readonly number[], costs: readonly Cost[], costsBefore: readonly Cost[]): Finding[] {
  const row = "one publisher to disk, acknowledged, 300-byte payloads";
  const rate = (name: string): string => `${Math.round(median(rates(name))).toLocaleString("en")}/s`;
  const times = (name: string): number => median(ratios(rates("line"), rates(name)));
  type Part = Exclude<keyof Cost, "catchUpMs">;
  const cost = (all: readonly Cost[], part: Part): number => median(all.map((each) => each[part])) * 1_000;
  const us = (all: readonly Cost[], part: Part): string => `${cost(all, part).toFixed(1)} µs`;
  const seconds = (all: readonly Cost[]): string => `${(median(all.map(({ catchUpMs }) => catchUpMs)) / 1_000).toFixed(1)} s`;
  const against = (name: string, what: string, limit: number): Finding =>
    atLeast(limit, times(name), {
      row,
      what: `against ${what}, one after the other`,
      measured: `${times(name).toFixed(1)}×`,
      target: `at least ${limit}×`,
      beside: `${rate(name)}; ${SENDERS} at once, without order: ${rate(`${name}s`)}, ${times(`${name}s`).toFixed(1)}×`,
    });
  return [
    atLeast(50_000, median(rates("line")), { row, what: "events", measured: rate("line"), target: "at least 50,000/s" }),
    atLeast(1.6, times("before"), {
      row,
      what: "against the version before",
      measured: `${times("before").toFixed(2)}×`,
      target: "at least 1.6×",
      beside: `${rate("before")}; publisher ${us(costsBefore, "publisher")}, hub ${us(costsBefore, "hub")} of processor time`,
    }),
    ...CROWDS.map((count) => {
      const value = median(ratios(rates(`crowd ${count}`), rates("line")));
      const measured = `${value.toFixed(2)}× (${rate(`crowd ${count}`)})`;
      return atLeast(1, value, { row, what: `${count} publishers at once`, measured, target: "no fewer than one sends" });
    }),
    against("post", "an HTTP POST per event, kept alive", 8),
    against("connect", "a Unix connection per event to a server with the same store", 20),
    {
      row,
      what: `text index has caught up, after ${EVENTS.toLocaleString("en")} events`,
      measured: `${seconds(costs)} after the last`,
      beside: `the version before: ${seconds(costsBefore)}`,
    },
    atMost(6, cost(costs, "publisher"), {
      row,
      what: "processor time per event, publisher",
      measured: us(costs, "publisher"),
      target: "at most 6 µs",
      beside: `the version before: ${us(costsBefore, "publisher")}`,
    }),
    { row, what: "processor time per event, hub", measured: us(costs, "hub"), beside: `the version before: ${us(costsBefore, "hub")}` },
    {
      row,
      what: "processor time per event, hub, until the text index has it",
      measured: us(costs, "indexed"),
      beside: `the version before: ${us(costsBefore, "indexed")}`,
    },
  ];
}

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atLeast, type Finding, type Measurement } from "./measurement.ts";
import type { HubMethods } from "./processes/hub.ts";
import type { PlainClientMethods } from "./processes/plain-client.ts";
import type { PlainServerMethods } from "./processes/plain-server.ts";
import type { PublisherMethods } from "./processes/publisher.ts";
import { interleave, median, ratios } from "./statistics.ts";

const ROUNDS = 5;
const EVENTS = 100_000;
const ALTERNATIVE_EVENTS = 1_000;
const SENDERS = 16;

/** One process to the hub's disk and back, against one request or one connection per event. */
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
    await publisher.ask("attached");
    await publisher.ask("publish", 20_000);
    const catchUps: number[] = [];
    const cpu: { publisher: number; hub: number }[] = [];

    /** Nobody is measured while the one before is still being indexed. */
    const settle = async (): Promise<number> => {
      const start = performance.now();
      for (;;) {
        const behind = (await hub.ask("stats")).unindexed + (await server.ask("unindexed"));
        if (behind === 0) return performance.now() - start;
        await sleep(50);
      }
    };
    const alternative = (send: () => Promise<number>) => async (): Promise<number> => {
      await settle();
      return (ALTERNATIVE_EVENTS / (await send())) * 1_000;
    };
    const rates = await interleave(ROUNDS, {
      async line(round) {
        say(`round ${round + 1} of ${ROUNDS}`);
        await settle();
        const before = await hub.ask("cpu");
        const { ms, cpuMs, lost } = await publisher.ask("publish", EVENTS);
        if (lost !== 0) throw new Error(`${lost} events were not acknowledged.`);
        const after = await hub.ask("cpu");
        cpu.push({ publisher: cpuMs / EVENTS, hub: (after.user + after.system - before.user - before.system) / 1_000 / EVENTS });
        catchUps.push(await settle());
        return (EVENTS / ms) * 1_000;
      },
      post: alternative(() => client.ask("postEach", ALTERNATIVE_EVENTS, 1, file)),
      posts: alternative(() => client.ask("postEach", ALTERNATIVE_EVENTS, SENDERS, file)),
      connect: alternative(() => client.ask("connectEach", ALTERNATIVE_EVENTS, 1, path)),
      connects: alternative(() => client.ask("connectEach", ALTERNATIVE_EVENTS, SENDERS, path)),
    });
    return findings(rates, { catchUps, cpu });
  },
};

interface Extra {
  readonly catchUps: readonly number[];
  /** Milliseconds per event. */
  readonly cpu: readonly { readonly publisher: number; readonly hub: number }[];
}

function findings(rates: (name: string) => readonly number[], { catchUps, cpu }: Extra): Finding[] {
  const row = "one publisher to disk, acknowledged, 300-byte payloads";
  const rate = (name: string): string => `${Math.round(median(rates(name))).toLocaleString("en")}/s`;
  const times = (name: string): number => median(ratios(rates("line"), rates(name)));
  const us = (side: "publisher" | "hub"): string => `${(median(cpu.map((each) => each[side])) * 1_000).toFixed(1)} µs`;
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
    against("post", "an HTTP POST per event, kept alive", 8),
    against("connect", "a Unix connection per event to a server with the same store", 20),
    {
      row,
      what: `text index has caught up, after ${EVENTS.toLocaleString("en")} events`,
      measured: `${(median(catchUps) / 1_000).toFixed(1)} s after the last`,
    },
    { row, what: "processor time per event", measured: `publisher ${us("publisher")}, hub ${us("hub")}` },
  ];
}

import { atMost, type Finding, type Measurement } from "./measurement.ts";
import type { HubMethods } from "./processes/hub.ts";
import type { PublisherMethods } from "./processes/publisher.ts";
import type { WatchersMethods } from "./processes/watchers.ts";
import { interleave, median } from "./statistics.ts";

const CLIENTS = 100;
const PER_SECOND = 1_000;
const SECONDS = 4;
const ROUNDS = 3;
const MAX_LAG_MS = 250;

interface Sample {
  /** Milliseconds behind, p99, of the client that is furthest behind. */
  readonly worst: number;
  readonly typical: number;
  readonly missing: number;
  readonly dropped: number;
}

/** A hundred clients of the stream at a thousand events a second, alone and beside one that has stopped reading. */
export const live: Measurement = {
  name: "live",
  async run(sandbox, say) {
    const hub = await sandbox.start<HubMethods>("hub");
    const publisher = await sandbox.start<PublisherMethods>("publisher");
    const watchers = await sandbox.start<WatchersMethods>("watchers");
    const { file, operator } = await hub.ask("info");
    await publisher.ask("attached");
    await watchers.ask("open", CLIENTS, file.url, operator);
    const metric = async (name: string): Promise<number> => {
      const answer = await fetch(`${file.url}/metrics`, { headers: { authorization: `Bearer ${operator}` } });
      return sumOf(await answer.text(), name);
    };
    const dropped = () => metric("hookline_stream_dropped_total");
    const measure = async (): Promise<Sample> => {
      const before = await dropped();
      await watchers.ask("reset");
      const sent = await publisher.ask("pace", PER_SECOND, SECONDS);
      const { received, p99s } = await watchers.ask("result", sent);
      const missing = received.reduce((sum, count) => sum + Math.abs(sent - count), 0);
      return { worst: Math.max(...p99s), typical: median(p99s), missing, dropped: (await dropped()) - before };
    };
    const sent = await publisher.ask("pace", PER_SECOND, 1);
    await watchers.ask("result", sent);
    const clients = await metric("hookline_stream_clients");
    if (clients !== CLIENTS) throw new Error(`The hub has ${clients} clients, not ${CLIENTS}.`);
    const samples = await interleave(ROUNDS, {
      alone(round) {
        say(`round ${round + 1} of ${ROUNDS}`);
        return measure();
      },
      async stalled() {
        await watchers.ask("openStalled", file.http, operator);
        const sample = await measure();
        await watchers.ask("closeStalled");
        return sample;
      },
    });
    return findings(samples("alone"), samples("stalled"));
  },
};

function findings(alone: readonly Sample[], stalled: readonly Sample[]): Finding[] {
  const row = `${CLIENTS} SSE clients, ${PER_SECOND.toLocaleString("en")} events/s`;
  const worst = (samples: readonly Sample[]): number => median(samples.map((sample) => sample.worst));
  const typical = (samples: readonly Sample[]): string => `typical ${median(samples.map((sample) => sample.typical)).toFixed(0)} ms`;
  const missing = (samples: readonly Sample[]): number => samples.reduce((sum, sample) => sum + sample.missing, 0);
  const drops = stalled.reduce((sum, sample) => sum + sample.dropped, 0);
  const lag = (samples: readonly Sample[], what: string, beside: string): Finding =>
    atMost(MAX_LAG_MS, missing(samples) === 0 ? worst(samples) : Number.POSITIVE_INFINITY, {
      row,
      what,
      measured: `${worst(samples).toFixed(0)} ms, ${typical(samples)}, ${missing(samples)} events missing`,
      target: `at most ${MAX_LAG_MS} ms behind, nothing missing`,
      beside,
    });
  return [
    lag(alone, "p99 of the client furthest behind", ""),
    lag(stalled, "the same beside a client that stopped reading", `alone: ${worst(alone).toFixed(0)} ms`),
    {
      row,
      what: "clients that stopped reading and were dropped",
      measured: `${drops} of ${stalled.length}, no other`,
      target: "each, and no other",
      isReached: stalled.every(({ dropped }) => dropped === 1) && alone.every(({ dropped }) => dropped === 0),
    },
  ];
}

function sumOf(metrics: string, name: string): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { decodeEnvelope } from "@hookline/core/sinks";
import { type EventFilter, openStore, type Store } from "hookline/internal";
import { serve } from "../serve.ts";
import { lineOf } from "../workload.ts";

// Fills a store and asks it: the hub's own, and its file as somebody with SQL alone would.
const BATCH = 2_000;
const IN_FLIGHT = 4;
const EVENTS = ["tool:after", "tool:before", "llm:after", "agent:start", "agent:end", "session:start"];

let store: Store | undefined;
let plain: DatabaseSync | undefined;

/** Events spread evenly over a stretch of time that ends now. */
function batch(from: number, { run, count, spanMs, end }: { run: string; count: number; spanMs: number; end: number }) {
  return Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
    const number = from + index;
    const at = Math.floor(end - spanMs + (number / count) * spanMs);
    const body = lineOf(number, { run, at, event: EVENTS[(number * 7) % EVENTS.length] as string, sessions: 1_000 });
    return { envelope: decodeEnvelope(body), body };
  });
}

async function timed(ask: () => unknown): Promise<number> {
  const start = performance.now();
  await ask();
  return performance.now() - start;
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("Nothing is open.");
  return value;
}

const methods = {
  /** Opens it and answers one question: milliseconds. */
  open: (path: string) =>
    timed(async () => {
      store = await openStore(path, { ballastBytes: 0 });
      await store.page({}, { limit: 1 });
    }),
  openPlain(path: string): void {
    plain = new DatabaseSync(path, { readOnly: true });
  },
  async close(): Promise<void> {
    await store?.close();
  },
  /** Appends so many of the events, from a number on. */
  async fill(from: number, to: number, all: { count: number; spanMs: number; end: number }): Promise<void> {
    const run = { ...all, run: `r${from}${randomBytes(4).toString("hex")}`, count: all.count };
    const waiting: Promise<unknown>[] = [];
    for (let next = from; next < to; next += BATCH) {
      waiting.push(required(store).append(batch(next, run)));
      if (waiting.length >= IN_FLIGHT) await waiting.shift();
    }
    await Promise.all(waiting);
  },
  indexed: () => required(store).indexed(),
  stats: () => required(store).stats(),
  page: async (filter: EventFilter, limit: number) => {
    let found = 0;
    const ms = await timed(async () => {
      found = (await required(store).page(filter, { limit })).events.length;
    });
    return { ms, found };
  },
  counts: async (since: number) => {
    let counts: Readonly<Record<string, number>> = {};
    const ms = await timed(async () => {
      counts = await required(store).counts(since);
    });
    return { ms, found: Object.keys(counts).length };
  },
  /** The last hours, in 60 steps. */
  overview: async (hours: number) => {
    const range = { stepMinutes: hours, steps: 60, fromMinute: Math.floor(Date.now() / 60_000) - hours * 60 + 1 };
    let found = 0;
    const ms = await timed(async () => {
      const { series } = await required(store).overview(range);
      found = series.events.reduce((sum, count) => sum + count, 0);
    });
    return { ms, found };
  },
  sql: async (sql: string, values: readonly (string | number)[]) => {
    let found = 0;
    const ms = await timed(() => {
      found = required(plain)
        .prepare(sql)
        .all(...values).length;
    });
    return { ms, found };
  },
};
export type StoreKeeperMethods = typeof methods;
serve(methods);

// Emits what the oracle says until it is told to stop: publisher.ts <PublisherSettings as JSON>
import { openSync, writeSync } from "node:fs";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { createRandom, progressText, sendingAt } from "../oracle.ts";
import type { PublisherSettings } from "../processes.ts";
import { answerWith, sayReady } from "./answers.ts";

const settings = JSON.parse(process.argv[2] as string) as PublisherSettings;
const { name, seed, burst, everyMs, durable = false, maxCount, minChars } = settings;
// Read only when the scenario breaks down.
const bus = createBus({ source: name, onError: ({ code, message }) => console.error(`${code}: ${message}`) });
const line = connectToHub(bus, {
  durable,
  gates: false,
  maxPayloadBytes: 1024 * 1024,
  ...(maxCount !== undefined && { queue: { maxCount } }),
});
const progress = settings.progress === undefined ? undefined : openSync(settings.progress, "w", 0o600);
const random = createRandom(seed);
let emitted = 0;
/** Nanoseconds of each emit since the last question. */
let times: number[] = [];

function emitOne(): void {
  const { event, payload } = sendingAt(name, seed, emitted, minChars);
  const before = process.hrtime.bigint();
  bus.emit(event, payload as never);
  times.push(Number(process.hrtime.bigint() - before));
  emitted++;
  if (progress !== undefined) writeSync(progress, progressText(emitted, line.counters), 0);
}

function emitSome(count: number): void {
  for (let index = 0; index < count; index++) emitOne();
}

let timer: NodeJS.Timeout | undefined;
answerWith({
  go() {
    timer = setInterval(() => emitSome(random.between(1, burst * 2)), everyMs);
  },
  emit: ({ count }: { count: number }) => emitSome(count),
  counters: () => ({ emitted, state: line.state, counters: line.counters }),
  times: () => {
    const sorted = times.sort((a, b) => a - b);
    times = [];
    return { count: sorted.length, p50: sorted[sorted.length >> 1] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
  },
  async stop({ flushMs }: { flushMs: number }) {
    clearInterval(timer);
    const isFlushed = flushMs > 0 && (await line.flush(flushMs));
    return { emitted, isFlushed, state: line.state, counters: line.counters };
  },
  /** A fresh event, and whether it was acknowledged. What waits is sent before: a queue that is full may have no place for it. */
  async fresh() {
    clearInterval(timer);
    await line.flush(60_000);
    const index = emitted;
    emitOne();
    return { index, isFlushed: await line.flush(60_000) };
  },
  async close() {
    clearInterval(timer);
    return { emitted, counters: await line.close() };
  },
});
while (!durable && line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 5));
sayReady();

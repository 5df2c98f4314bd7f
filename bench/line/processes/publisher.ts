import { appendFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { serve } from "../serve.ts";
import { type Latency, latencyOf } from "../statistics.ts";
import { payloadOf } from "../workload.ts";

// An agent's process: a bus, and a line to the hub with everything at its default.
const bus = createBus({ source: "bench-publisher" });
const line = connectToHub(bus, { source: "bench-publisher", onError: () => {} });
const payloads = Array.from({ length: 1_000 }, (_, number) => payloadOf(number));
const payloadAt = (number: number) => payloads[number % payloads.length] as (typeof payloads)[number];

/** What may wait before a producer that wants to lose nothing pauses: less than the queue holds. */
const HIGH_WATER = 8_000;

async function attached(): Promise<void> {
  while (line.state !== "attached") await sleep(5);
  await line.flush(60_000);
}

/** Microseconds of each call, in bursts with room between them for whatever else the process does. */
async function timeEach(count: number, call: (number: number) => void): Promise<Latency> {
  const times = new Float64Array(count);
  for (let number = 0; number < count; number++) {
    const start = performance.now();
    call(number);
    times[number] = (performance.now() - start) * 1_000;
    if (number % 20 === 19) await sleep(1);
  }
  return latencyOf(times);
}

const methods = {
  attached,
  detached: async (): Promise<void> => {
    while (line.state === "attached") await sleep(5);
  },
  counters: () => line.counters,
  /** Fills the queue, where nobody empties it. */
  async fill(count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      bus.emit("tool:after", payloadAt(number));
      if (number % 200 === 199) await turn();
    }
    await sleep(100);
  },
  timeEmits: (count: number) => timeEach(count, (number) => void bus.emit("tool:after", payloadAt(number))),
  timeAppends: (count: number, path: string) =>
    timeEach(count, (number) => appendFileSync(path, `${JSON.stringify({ event: "tool:after", payload: payloadAt(number) })}\n`)),
  /** As fast as they are taken, until the last is acknowledged. */
  async publish(count: number): Promise<{ ms: number; cpuMs: number; lost: number }> {
    const { acked } = line.counters;
    const cpu = process.cpuUsage();
    const start = performance.now();
    for (let number = 0; number < count; number++) {
      bus.emit("tool:after", payloadAt(number));
      if (number % 100 === 99) while (line.counters.pending > HIGH_WATER) await sleep(1);
    }
    await line.flush(120_000);
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - start, cpuMs: (user + system) / 1_000, lost: count - (line.counters.acked - acked) };
  },
  /** Microseconds from the question to the hub's answer. */
  async timeGates(count: number, pauseMs: number): Promise<Latency> {
    const times = new Float64Array(count);
    for (let number = 0; number < count; number++) {
      if (pauseMs > 0) await sleep(pauseMs);
      const start = performance.now();
      const { verdict } = await bus.decide("tool:before", payloadAt(number));
      times[number] = (performance.now() - start) * 1_000;
      if (verdict !== "allow") throw new Error(`The hub's guard was not asked: ${verdict}.`);
    }
    return latencyOf(times);
  },
  /** Microseconds of decisions that the process makes by itself. The few that are asked, when a lease ends, are among them. */
  async timePasses(count: number): Promise<Latency> {
    const payload = (number: number) => ({
      session: { id: "s1" },
      tool: { name: "search", callId: `c${number}`, input: { query: `what is number ${number} of these` } },
    });
    const { asked } = line.counters.gates;
    for (let number = 0; line.counters.gates.asked === asked + number && number < 10_000; number++) {
      await bus.decide("tool:before", payload(number));
      await sleep(1);
    }
    const times = new Float64Array(count);
    const before = line.counters.gates.asked;
    for (let number = 0; number < count; number++) {
      const start = performance.now();
      const decision = bus.decide("tool:before", payload(number));
      if (decision instanceof Promise) await decision;
      times[number] = (performance.now() - start) * 1_000;
      if (number % 20 === 19) await sleep(1);
    }
    const questions = line.counters.gates.asked - before;
    if (questions > count / 10) throw new Error(`The hub was asked ${questions} times.`);
    return latencyOf(times);
  },
  /** At a steady rate. */
  async pace(perSecond: number, seconds: number): Promise<number> {
    const start = performance.now();
    let sent = 0;
    for (const total = perSecond * seconds; sent < total; ) {
      const due = Math.min(total, Math.floor(((performance.now() - start) * perSecond) / 1_000));
      while (sent < due) bus.emit("tool:after", payloadAt(sent++));
      await sleep(1);
    }
    await line.flush(10_000);
    return sent;
  },
};
export type PublisherMethods = typeof methods;
serve(methods);

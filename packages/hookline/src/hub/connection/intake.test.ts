import { describe, expect, it } from "vitest";
import { deferred } from "../../../../../test/support/reporting-bus.js";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import type { Accepted } from "../parts.js";
import { createIntake } from "./intake.js";

const event = (): Accepted => ({ envelope: sampleEnvelope(), body: "{}" });

function intake(append: (events: readonly Accepted[]) => Promise<{ stored: number; duplicates: number }>) {
  const settled: number[] = [];
  const failures: unknown[] = [];
  const pressure: boolean[] = [];
  const made = createIntake({
    ingest: { append },
    onSettled: (count) => settled.push(count),
    onFailed: (error) => failures.push(error),
    onPressure: (isHigh) => pressure.push(isHigh),
  });
  return { ...made, settled, failures, pressure };
}
const done = { stored: 0, duplicates: 0 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("intake", () => {
  it("writes one batch at a time; what comes meanwhile is the next", async () => {
    const writes: { size: number; end: () => void }[] = [];
    const { add, go, settled } = intake((events) => {
      const { promise, resolve } = deferred<typeof done>();
      writes.push({ size: events.length, end: () => resolve(done) });
      return promise;
    });
    add(event());
    go();
    for (let i = 0; i < 5; i++) add(event());
    go();
    expect(writes.map(({ size }) => size)).toEqual([1]);
    writes[0]?.end();
    await turn();
    expect(writes.map(({ size }) => size)).toEqual([1, 5]);
    expect(settled).toEqual([1]);
    writes[1]?.end();
    await turn();
    expect(settled).toEqual([1, 5]);
  });

  it("settles what was refused in its turn, also when there is nothing else", async () => {
    const { add, refuse, go, settled } = intake(async () => done);
    refuse();
    go();
    await turn();
    expect(settled).toEqual([1]);
    add(event());
    refuse();
    go();
    await turn();
    expect(settled).toEqual([1, 2]);
  });

  it("stores nothing after a failure, so that what is sent again comes in order", async () => {
    let calls = 0;
    const { add, go, settled, failures } = intake(async () => {
      calls++;
      throw new Error("full");
    });
    add(event());
    go();
    add(event());
    await turn();
    go();
    await turn();
    expect([calls, settled, failures.length]).toEqual([1, [], 1]);
  });

  it("asks the sender to pause while too much waits", async () => {
    const { promise, resolve } = deferred<typeof done>();
    const { add, go, pressure } = intake(() => promise);
    add(event());
    go();
    for (let i = 0; i < 5_000; i++) add(event());
    go();
    expect(pressure).toEqual([true]);
    resolve(done);
    await turn();
    expect(pressure).toEqual([true, false]);
  });
});

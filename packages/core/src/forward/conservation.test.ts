import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { reportingBus } from "../../../../test/support/reporting-bus.js";
import { hubFolder, TestHub } from "../../../../test/support/test-hub.js";
import type { Envelope } from "../catalog/envelope.js";
import { connectToHub } from "./connect-to-hub.js";
import type { HubConnectionCounters } from "./hub-connection.js";

const sum = ({ acked, pending, spooled, dropped }: HubConnectionCounters) =>
  acked + pending + spooled + Object.values(dropped).reduce((total, count) => total + count, 0);

/** The same numbers for the same seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it.each([
  [1, false],
  [2, false],
  [3, true],
  [4, true],
])("whatever the hub does, every event is stored once or counted, in order (seed %i, durable %s)", async (seed, durable) => {
  using folder = hubFolder();
  const random = seeded(seed);
  const { bus } = reportingBus({ source: "agent" });
  const line = connectToHub(bus, { folder: folder.state, durable, queue: { maxCount: 400 } });
  const stored = new Map<string, Envelope>();
  const options = { refuses: ({ seq }: Envelope) => seq % 97 === 0 };
  let hub = await TestHub.start(folder.state, options);
  const collect = () => {
    for (const [id, envelope] of hub.stored) stored.set(id, envelope);
  };
  const deeds: (() => unknown)[] = [
    () => hub.cut(),
    () => hub.freeze(true),
    () => hub.freeze(false),
    () => {
      hub.isAckHeld = true;
    },
    () => hub.acknowledge(),
    async () => {
      await hub.die();
      collect();
      hub = await TestHub.start(folder.state, options);
    },
  ];
  const names = ["text:delta", "myapp:counted", "session:end"] as const;
  for (let step = 0; step < 120; step++) {
    for (let count = random(60); count > 0; count--)
      bus.emit(names[random(3)] as "session:end", { step, text: "x".repeat(random(300)) } as never);
    if (random(3) === 0) await deeds[random(deeds.length)]?.();
    await sleep(random(4));
    expect(sum(line.counters)).toBe(line.counters.accepted);
    expect(line.counters.pending).toBeLessThanOrEqual(durable ? Number.POSITIVE_INFINITY : 400);
  }
  hub.freeze(false);
  hub.acknowledge();
  expect(await line.flush(15_000)).toBe(true);
  collect();
  const { accepted, acked, dropped, seq } = line.counters;
  expect(stored.size).toBe(acked);
  expect(accepted).toBe(seq);
  expect(seq - stored.size).toBe((dropped.queue_full ?? 0) + (dropped.refused ?? 0));
  if (durable) expect(dropped.queue_full).toBeUndefined();
  const order = [...hub.stored.values()].map((envelope) => envelope.seq);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  await line.close();
  await hub.stop();
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Envelope } from "../catalog/envelope.js";
import { createDelivery } from "./deliver-in-order.js";
import { createMemorySink } from "./memory/memory.js";
import type { SendResult, Sink } from "./sink.js";

const envelope = (id: string): Envelope => ({
  v: 2,
  id,
  seq: 0,
  at: "2026-01-01T00:00:00.000Z",
  event: "agent:start",
  source: { app: "test", host: "", pid: 0, instance: "i" },
  payload: null,
  hops: [],
});

function sinkThat(name: string, send: () => unknown): Sink {
  return { name, send: send as () => Promise<SendResult>, close: async () => {} };
}

const failing: readonly Sink[] = [
  sinkThat("throws", () => {
    throw new Error("at once");
  }),
  sinkThat("rejects", () => Promise.reject(new Error("later"))),
  sinkThat("fails", async () => ({ status: "failed", cause: "no" })),
  sinkThat("asks to retry", async () => ({ status: "retry", cause: "busy" })),
  sinkThat("says nothing", async () => undefined),
  sinkThat("answers at once", () => ({ status: "sent" })),
];

describe("createDelivery", () => {
  it("survives every way to fail and counts per sink", async () => {
    const first = createMemorySink();
    const last = createMemorySink({ name: "last" });
    const delivery = createDelivery([first, ...failing, last]);
    for (const id of ["a", "b"]) await expect(delivery.deliver(envelope(id))).resolves.toBeUndefined();
    expect(last.envelopes.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(first.envelopes).toEqual(last.envelopes);
    expect(delivery.counters).toEqual([
      { sink: "memory", sent: 2, failed: 0 },
      ...failing.slice(0, -1).map(({ name }) => ({ sink: name, sent: 0, failed: 2 })),
      { sink: "answers at once", sent: 2, failed: 0 },
      { sink: "last", sent: 2, failed: 0 },
    ]);
  });

  it("keeps the order of concurrent calls in every sink, however slow each delivery is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { maxLength: 12 }), async (delays) => {
        const log: string[] = [];
        const slow = (name: string): Sink => ({
          name,
          async send([one]) {
            for (let i = delays[Number(one?.id)] ?? 0; i > 0; i--) await Promise.resolve();
            log.push(`${one?.id}${name}`);
            return { status: "sent" };
          },
          close: async () => {},
        });
        const delivery = createDelivery([slow("x"), ...failing, slow("y")]);
        await Promise.all(delays.map((_, index) => delivery.deliver(envelope(String(index)))));
        expect(log).toEqual(delays.flatMap((_, index) => [`${index}x`, `${index}y`]));
      }),
    );
  });

  it("delivers nothing without sinks", async () => {
    await expect(createDelivery([]).deliver(envelope("a"))).resolves.toBeUndefined();
  });
});

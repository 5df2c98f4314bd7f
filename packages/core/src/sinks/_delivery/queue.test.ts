import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchOf, idsOf } from "../../../../../test/conformance/envelopes.js";
import { deferred } from "../../../../../test/support/reporting-bus.js";
import type { Envelope } from "../../catalog/envelope.js";
import { createMemorySink } from "../memory/memory.js";
import type { SendResult, Sink } from "../sink.js";
import type { SinkCounters } from "./counters.js";
import { withQueue } from "./queue.js";
import { withRetry } from "./retry.js";

const eventOf = { bulk: "message:delta", normal: "agent:step", vital: "tool:after" } as const;

function one(kind: keyof typeof eventOf = "normal"): Envelope {
  return { ...(batchOf(1)[0] as Envelope), event: eventOf[kind] };
}

/** Holds every batch until it is let go. */
function heldSink(): { sink: Sink; taken: Envelope[]; release: (result?: SendResult) => void } {
  const taken: Envelope[] = [];
  let gate = deferred<SendResult>();
  const send = async (batch: readonly Envelope[]): Promise<SendResult> => {
    taken.push(...batch);
    return gate.promise;
  };
  const release = (result: SendResult = { status: "sent" }): void => {
    gate.resolve(result);
    gate = deferred();
    gate.resolve({ status: "sent" });
  };
  return { sink: { name: "held", send, close: async () => {} }, taken, release };
}

function sumOf({ sent, pending, dropped }: SinkCounters): number {
  return sent + pending + Object.values(dropped).reduce((sum, count) => sum + count, 0);
}

describe("withQueue", () => {
  it("sends what it is given in order and in batches", async () => {
    const memory = createMemorySink();
    const sizes: number[] = [];
    const sink: Sink = {
      ...memory,
      send(batch, signal) {
        sizes.push(batch.length);
        return memory.send(batch, signal);
      },
    };
    const queue = withQueue(sink, { batch: { maxCount: 4 } });
    const given = Array.from({ length: 10 }, () => one());
    for (const envelope of given) expect(queue.push(envelope)).toBe(true);
    expect(sizes).toEqual([]);
    await queue.flush();
    expect(idsOf(memory.envelopes)).toEqual(idsOf(given));
    expect(sizes).toEqual([4, 4, 2]);
    expect(queue.counters).toEqual({ accepted: 10, sent: 10, pending: 0, dropped: {} });
  });

  it("keeps a batch within its bytes, and sends what is larger alone", async () => {
    const sizes: number[] = [];
    const send = async (batch: readonly Envelope[]): Promise<SendResult> => {
      sizes.push(batch.length);
      return { status: "sent" };
    };
    const queue = withQueue({ name: "x", send, close: async () => {} }, { batch: { maxBytes: 100 } });
    for (const bytes of [40, 40, 40, 300, 10]) queue.push(one(), bytes);
    await queue.flush();
    expect(sizes).toEqual([2, 1, 1, 1]);
  });

  it("lets the lowest class go first, and no one for a lower class", async () => {
    const memory = createMemorySink();
    const queue = withQueue(memory, { maxCount: 3 });
    const [bulk, normal, vital] = [one("bulk"), one("normal"), one("vital")];
    const [late, later, latest] = [one("vital"), one("vital"), one("bulk")];
    for (const envelope of [vital, bulk, normal]) expect(queue.push(envelope)).toBe(true);
    for (const envelope of [late, later]) expect(queue.push(envelope)).toBe(true);
    expect(queue.isFull).toBe(true);
    expect(queue.push(latest)).toBe(false);
    await queue.flush();
    expect(idsOf(memory.envelopes)).toEqual(idsOf([vital, late, later]));
    expect(queue.counters).toEqual({ accepted: 6, sent: 3, pending: 0, dropped: { queue_full: 3 } });
  });

  it("refuses the newcomer under drop-newest, and what fits in no queue at all", async () => {
    const memory = createMemorySink();
    const queue = withQueue(memory, { maxCount: 2, maxBytes: 100, overflow: "drop-newest" });
    const given = [one("bulk"), one("bulk"), one("vital")];
    expect(given.map((envelope) => queue.push(envelope, 10))).toEqual([true, true, false]);
    await queue.flush();
    expect(queue.push(one(), 101)).toBe(false);
    expect(idsOf(memory.envelopes)).toEqual(idsOf(given.slice(0, 2)));
    expect(queue.counters.dropped).toEqual({ queue_full: 1, too_large: 1 });
  });

  it("drops nothing under block, and says when to hold back", async () => {
    const memory = createMemorySink();
    const queue = withQueue(memory, { maxCount: 2, overflow: "block" });
    expect([queue.push(one()), queue.push(one()), queue.push(one())]).toEqual([true, false, false]);
    expect(queue.isFull).toBe(true);
    await queue.flush();
    expect(queue.isFull).toBe(false);
    expect(queue.counters).toEqual({ accepted: 3, sent: 3, pending: 0, dropped: {} });
  });

  it("counts what is given up under its reason", async () => {
    const results: SendResult[] = [
      { status: "failed", cause: "no" },
      { status: "retry", cause: "busy" },
    ];
    const send = async (): Promise<SendResult> => results.shift() ?? Promise.reject(new Error("thrown"));
    const queue = withQueue({ name: "x", send, close: async () => {} });
    for (let i = 0; i < 3; i++) {
      queue.push(one());
      await queue.flush();
    }
    expect(queue.counters).toEqual({ accepted: 3, sent: 0, pending: 0, dropped: { failed: 2, retry_exhausted: 1 } });
  });

  it("closes within its deadline beside a sink that never answers, and counts what it left", async () => {
    const { sink, taken } = heldSink();
    const queue = withQueue(sink, { batch: { maxCount: 2 } });
    for (let i = 0; i < 5; i++) queue.push(one());
    expect(await queue.close(20)).toEqual({ accepted: 5, sent: 0, pending: 0, dropped: { closed: 5 } });
    expect(taken).toHaveLength(2);
    expect(queue.push(one())).toBe(false);
    expect(queue.counters).toMatchObject({ accepted: 6, dropped: { closed: 6 } });
  });

  it("accounts for every event at all times", async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant("push" as const),
        kind: fc.constantFrom("bulk", "normal", "vital"),
        bytes: fc.integer({ min: 1, max: 60 }),
      }),
      fc.record({ do: fc.constant("wait" as const) }),
      fc.record({ do: fc.constant("flush" as const) }),
    );
    const answer = fc.constantFrom("sent", "sent", "retry", "failed", "throw", "later");
    const overflow = fc.constantFrom("drop-oldest", "drop-newest", "block");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(answer, { maxLength: 20 }), overflow, async (steps, answers, policy) => {
        const sent: string[] = [];
        const send = async (batch: readonly Envelope[]): Promise<SendResult> => {
          const next = answers.shift() ?? "sent";
          if (next === "throw") throw new Error("thrown");
          if (next === "later") await new Promise((resolve) => setImmediate(resolve));
          if (next === "retry" || next === "failed") return { status: next, cause: next };
          sent.push(...idsOf(batch));
          return { status: "sent" };
        };
        const inner = withRetry({ name: "x", send, close: async () => {} }, { maxAttempts: 2, sleep: async () => {} });
        const queue = withQueue(inner, { maxCount: 5, maxBytes: 100, overflow: policy, batch: { maxCount: 3 } });
        const pushed: string[] = [];
        const check = (): void => expect(sumOf(queue.counters)).toBe(pushed.length);
        for (const action of steps) {
          if (action.do === "push") {
            const envelope = one(action.kind);
            pushed.push(envelope.id);
            queue.push(envelope, action.bytes);
          } else if (action.do === "wait") await new Promise((resolve) => setImmediate(resolve));
          else await queue.flush();
          check();
        }
        const last = await queue.close(1_000);
        check();
        expect(last).toMatchObject({ accepted: pushed.length, sent: sent.length, pending: 0 });
        expect(sent).toEqual(pushed.filter((id) => sent.includes(id)));
      }),
      { numRuns: 200 },
    );
  });
});

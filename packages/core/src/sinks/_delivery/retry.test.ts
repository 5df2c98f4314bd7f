import { describe, expect, it } from "vitest";
import { batchOf } from "../../../../../test/conformance/envelopes.js";
import type { SendResult, Sink } from "../sink.js";
import { withRetry } from "./retry.js";
import { withTimeout } from "./timeout.js";

const { signal } = new AbortController();
const busy = (afterMs?: number): SendResult => ({ status: "retry", cause: "busy", ...(afterMs !== undefined && { afterMs }) });

function answering(...results: SendResult[]): { sink: Sink; tries: () => number } {
  let tries = 0;
  const send = async (): Promise<SendResult> => results[tries++] ?? { status: "sent" };
  return { sink: { name: "x", send, close: async () => {} }, tries: () => tries };
}

function recordingSleep(): { waits: number[]; sleep: (ms: number) => Promise<void> } {
  const waits: number[] = [];
  return { waits, sleep: async (ms) => void waits.push(ms) };
}

describe("withRetry", () => {
  it("waits longer each time, up to a limit, and for a random part of it", async () => {
    const { waits, sleep } = recordingSleep();
    const { sink } = answering(busy(), busy(), busy(), busy());
    expect(await withRetry(sink, { baseMs: 100, maxMs: 500, random: () => 1, sleep }).send(batchOf(1), signal)).toEqual({ status: "sent" });
    expect(waits).toEqual([100, 200, 400, 500]);
    const half = recordingSleep();
    await withRetry(answering(busy(), busy()).sink, { baseMs: 100, random: () => 0.5, sleep: half.sleep }).send(batchOf(1), signal);
    expect(half.waits).toEqual([50, 100]);
  });

  it("waits as long as the sink asks, within its own limit", async () => {
    const { waits, sleep } = recordingSleep();
    const { sink } = answering(busy(250), busy(90_000), busy(9e9));
    await withRetry(sink, { random: () => 0, sleep }).send(batchOf(1), signal);
    expect(waits).toEqual([250, 90_000, 3_600_000]);
  });

  it("gives up after so many attempts, and at once on failed", async () => {
    const { sink, tries } = answering(busy(), busy(), busy());
    const result = await withRetry(sink, { maxAttempts: 3, sleep: async () => {} }).send(batchOf(1), signal);
    expect(result).toMatchObject({ status: "failed", cause: { code: "HL_RETRY_EXHAUSTED", cause: "busy" } });
    expect(tries()).toBe(3);
    expect(await withRetry(answering({ status: "failed", cause: "no" }).sink).send(batchOf(1), signal)).toEqual({
      status: "failed",
      cause: "no",
    });
  });

  it("stops waiting when it is aborted", async () => {
    const controller = new AbortController();
    const sending = withRetry(answering(busy(60_000)).sink, { maxMs: 60_000 }).send(batchOf(1), controller.signal);
    setImmediate(() => controller.abort());
    expect(await sending).toMatchObject({ status: "retry" });
  });
});

describe("withTimeout", () => {
  const never: Sink = { name: "never", send: () => new Promise(() => {}), close: async () => {} };

  it("answers for a sink that does not", async () => {
    expect(await withTimeout(never, 5).send(batchOf(1), signal)).toMatchObject({ status: "retry", cause: { code: "HL_SINK_TIMEOUT" } });
    const aborted = AbortSignal.abort("enough");
    expect(await withTimeout(never, 60_000).send(batchOf(1), aborted)).toEqual({ status: "retry", cause: "enough" });
  });

  it("answers for a sink that throws or talks nonsense", async () => {
    const sends = [() => Promise.reject(new Error("x")), () => Promise.resolve(undefined), () => Promise.resolve({ status: "maybe" })];
    for (const send of sends) {
      const broken = withTimeout({ ...never, send: send as unknown as Sink["send"] }, 1_000);
      expect(await broken.send(batchOf(1), signal)).toMatchObject({ status: "failed", cause: { code: "HL_SINK_FAILED" } });
    }
  });
});

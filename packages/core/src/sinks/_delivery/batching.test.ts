import { describe, expect, it } from "vitest";
import { batchOf, idsOf } from "../../../../../test/conformance/envelopes.js";
import type { Envelope } from "../../catalog/envelope.js";
import type { SendResult, Sink } from "../sink.js";
import { withBatching } from "./batching.js";

function recording(answer: (batch: readonly Envelope[]) => SendResult = () => ({ status: "sent" })): { sink: Sink; batches: string[][] } {
  const batches: string[][] = [];
  const send = async (batch: readonly Envelope[]): Promise<SendResult> => {
    batches.push(idsOf(batch));
    return answer(batch);
  };
  return { sink: { name: "x", send, close: async () => {} }, batches };
}

const { signal } = new AbortController();

describe("withBatching", () => {
  it("joins what comes together, in order and within the count", async () => {
    const { sink, batches } = recording();
    const joined = withBatching(sink, { maxCount: 5 });
    const pieces = [batchOf(2), batchOf(2), batchOf(2), batchOf(1), batchOf(7), batchOf(1)];
    const results = await Promise.all(pieces.map((piece) => joined.send(piece, signal)));
    expect(results).toEqual(pieces.map(() => ({ status: "sent" })));
    expect(batches.map((batch) => batch.length)).toEqual([4, 3, 7, 1]);
    expect(batches.flat()).toEqual(pieces.flatMap(idsOf));
  });

  it("keeps within the bytes", async () => {
    const { sink, batches } = recording();
    const joined = withBatching(sink, { maxBytes: 2_500 });
    await Promise.all(
      Array.from({ length: 4 }, () =>
        joined.send(
          batchOf(1, () => "x".repeat(800)),
          signal,
        ),
      ),
    );
    expect(batches.map((batch) => batch.length)).toEqual([2, 2]);
  });

  it("gives each caller the result of its batch", async () => {
    const { sink } = recording((batch) => (batch.length > 1 ? { status: "failed", cause: "no" } : { status: "sent" }));
    const joined = withBatching(sink, { maxCount: 2 });
    const results = await Promise.all([1, 1, 1].map((count) => joined.send(batchOf(count), signal)));
    expect(results.map(({ status }) => status)).toEqual(["failed", "failed", "sent"]);
  });

  it("leaves out a caller that gave up, and sends what waits before it closes", async () => {
    const { sink, batches } = recording();
    const joined = withBatching(sink, { maxDelayMs: 60_000 });
    const [kept, left] = [batchOf(1), batchOf(1)];
    const results = [joined.send(kept, signal), joined.send(left, AbortSignal.abort("gone"))];
    await joined.close();
    expect(await Promise.all(results)).toEqual([{ status: "sent" }, { status: "retry", cause: "gone" }]);
    expect(batches).toEqual([idsOf(kept)]);
  });
});

import { createBus } from "@hookline/core";
import { connectSink, type Envelope, type SendResult, type Sink } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { batchOf, idsOf, textsThatBreakLines } from "./envelopes.ts";

/** A sink with a real peer behind it, and ways to trouble that peer. */
interface SinkUnderTest {
  readonly sink: Sink;
  /** Everything that has arrived at the peer, in order of arrival. Waits for what was answered with `sent`. */
  received(): Promise<readonly Envelope[]>;
  /** From now on deliveries fail as they do when the peer is down: connection refused, disk full, 503. */
  breakPeer?(): unknown;
  /** Undoes `breakPeer`. */
  healPeer?(): unknown;
  /** From now on the peer takes deliveries but does not answer: it accepts and never reads. */
  slowPeer?(): unknown;
  /** Closes the peer and removes its files. Called after `sink.close()`. */
  dispose?(): unknown;
}

type OpenSink = () => SinkUnderTest | Promise<SinkUnderTest>;

/**
 * What every sink must do. Each test opens a sink of its own and closes it.
 *
 * ```ts
 * // test/conformance/webhook.test.ts
 * sinkConformance("webhook", async () => {
 *   const server = await startReceiver();             // real peer, port 0
 *   const sink = createWebhookSink({ url: server.url, … });
 *   return { sink, received: async () => server.envelopes, breakPeer: () => server.answer(503), healPeer: () => server.answer(200),
 *     slowPeer: () => server.hold(), dispose: () => server.close() };
 * });
 * ```
 */
export function sinkConformance(name: string, open: OpenSink): void {
  const test = (title: string, run: (subject: SinkUnderTest, skip: (why: string) => never) => Promise<void>): void => {
    it(title, ({ skip }) => withSink(open, (subject) => run(subject, skip)));
  };

  describe(`${name}, as every sink,`, () => {
    test("has a name", async ({ sink }) => {
      expect(sink.name).toMatch(/^\S+$/);
    });

    test("keeps the order of batches and within them", async ({ sink, received }) => {
      const batches = [batchOf(3), batchOf(1), batchOf(7), batchOf(2)];
      for (const batch of batches) expect(await sink.send(batch, live())).toEqual({ status: "sent" });
      expect(idsOf(await received())).toEqual(batches.flatMap(idsOf));
    });

    test("delivers an empty batch as nothing", async ({ sink, received }) => {
      expect(await sink.send([], live())).toEqual({ status: "sent" });
      expect(await received()).toEqual([]);
    });

    test("delivers large batches whole and unchanged", async ({ sink, received }) => {
      const batch = batchOf(500, (index) => ({
        index,
        text: textsThatBreakLines[index % textsThatBreakLines.length],
        long: "é".repeat(300),
      }));
      expect(await sink.send(batch, live())).toEqual({ status: "sent" });
      expect(await received()).toEqual(batch);
    });

    test("keeps batches whole that are sent at once", async ({ sink, received }) => {
      const batches = Array.from({ length: 8 }, () => batchOf(20));
      const results = await Promise.all(batches.map((batch) => sink.send(batch, live())));
      const sent = batches.filter((_, index) => results[index]?.status === "sent");
      const arrived = idsOf(await received());
      expect(sent.length).toBeGreaterThan(0);
      for (const batch of sent) expect(arrived.filter((id) => idsOf(batch).includes(id))).toEqual(idsOf(batch));
    });

    test("never rejects, and never claims to have sent what it has not, when aborted", async ({ sink, received }) => {
      const batch = batchOf(2);
      const result = await sink.send(batch, AbortSignal.abort(new Error("the caller gave up")));
      expectResult(result);
      if (result.status === "sent") expect(idsOf(await received())).toEqual(idsOf(batch));
    });

    test("closes twice, and refuses afterwards without throwing", async ({ sink }) => {
      await sink.send(batchOf(1), live());
      await sink.close();
      await sink.close();
      expect((await sink.send(batchOf(1), live())).status).toBe("failed");
    });

    test("asks for another try while its peer is down, and goes on when it is back", async ({
      sink,
      received,
      breakPeer,
      healPeer,
    }, skip) => {
      if (breakPeer === undefined || healPeer === undefined) return skip("its peer cannot be broken");
      const [before, during] = [batchOf(2), batchOf(3)];
      expect(await sink.send(before, live())).toEqual({ status: "sent" });
      await breakPeer();
      expect(await sink.send(during, live())).toMatchObject({ status: "retry", cause: expect.anything() });
      await healPeer();
      await untilSent(() => sink.send(during, live()));
      // A retried batch may arrive twice, under the same ids.
      expect([...new Set(idsOf(await received()))]).toEqual([...idsOf(before), ...idsOf(during)]);
    });

    test("lets go of a peer that does not answer when it is aborted", async ({ sink, slowPeer }, skip) => {
      if (slowPeer === undefined) return skip("its peer cannot be slow");
      await sink.send(batchOf(1), live());
      await slowPeer();
      const controller = new AbortController();
      const sending = sink.send(tooLargeForBuffers(), controller.signal);
      setImmediate(() => controller.abort(new Error("took too long")));
      const result = await sending;
      expectResult(result);
      expect(result.status).not.toBe("sent");
    });

    test("closes beside a peer that does not answer", async ({ sink, slowPeer }, skip) => {
      if (slowPeer === undefined) return skip("its peer cannot be slow");
      await slowPeer();
      const sending = sink.send(tooLargeForBuffers(), AbortSignal.timeout(200));
      await Promise.all([sink.close(), sending]);
    });

    test("is counted to the last event on a bus, and closes within a deadline", async ({ sink, received, slowPeer }) => {
      const bus = createBus({ source: "conformance", onError: () => {} });
      const connection = connectSink(bus, sink, { batch: { maxCount: 4 } });
      for (let index = 0; index < 10; index++) bus.emit("myapp:counted", { index });
      await connection.flush();
      expect(connection.counters).toEqual({ accepted: 10, sent: 10, pending: 0, dropped: {}, filtered: 0 });
      expect((await received()).map(({ payload }) => payload)).toEqual(Array.from({ length: 10 }, (_, index) => ({ index })));
      await slowPeer?.();
      for (let index = 0; index < 64; index++) bus.emit("myapp:counted", { text: "x".repeat(200_000) });
      const { accepted, sent, pending, dropped } = await connection.close(100);
      expect(sent + Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(accepted);
      expect({ accepted, pending }).toEqual({ accepted: 74, pending: 0 });
    });
  });
}

async function withSink(open: OpenSink, run: (subject: SinkUnderTest) => Promise<void>): Promise<void> {
  const subject = await open();
  try {
    await run(subject);
  } finally {
    await subject.sink.close();
    await subject.dispose?.();
  }
}

/** More than any kernel buffer takes: it is not delivered before the peer has read some of it. */
function tooLargeForBuffers(): Envelope[] {
  return batchOf(128, () => "x".repeat(64 * 1024));
}

// Every call its own: a sink that leaves listeners on a shared signal would otherwise be warned about by Node.
function live(): AbortSignal {
  return new AbortController().signal;
}

async function untilSent(send: () => Promise<SendResult>): Promise<void> {
  for (;;) {
    const result = await send();
    if (result.status === "sent") return;
    expect(result.status).toBe("retry");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function expectResult(result: SendResult): void {
  expect(["sent", "retry", "failed"]).toContain(result.status);
  if (result.status !== "sent") expect(result.cause).toBeDefined();
}

import { block, createBus } from "@hookline/core";
import { envelopeOf } from "@hookline/core/internal/sinks";
import { createDelivery, createMemorySink, decodeEnvelope, encodeEnvelope } from "@hookline/core/sinks";
import { expect, it } from "vitest";

it("carries what a bus does to a sink, by way of a tap", async () => {
  const bus = createBus({ source: "my-agent" });
  const sink = createMemorySink();
  const delivery = createDelivery([sink]);
  const delivered: Promise<void>[] = [];
  bus.tap({ dispatched: (event, { decision }) => void delivered.push(delivery.deliver(envelopeOf(event, decision))) });
  bus.on("tool:before", () => block("no"), { name: "guard" });
  bus.emit("agent:start", { session: { id: "s1" } });
  bus.decide("tool:before", { session: { id: "s1" }, tool: { name: "bash", input: {} } });
  await Promise.all(delivered);
  const [started, decided] = sink.envelopes;
  expect(started).toMatchObject({
    v: 2,
    seq: 0,
    event: "agent:start",
    session: { id: "s1" },
    source: { app: "my-agent", pid: process.pid },
    hops: [],
  });
  expect(decided?.decision).toEqual({
    verdict: "deny",
    reason: "no",
    by: "guard",
    modified: false,
    endLoop: false,
    actor: { kind: "guard", name: "guard" },
    trail: [
      { actor: { kind: "guard", name: "guard" }, stage: "guard", round: 0, action: "deny", reason: "no", durationMs: expect.any(Number) },
    ],
  });
  expect((started?.id as string) < (decided?.id as string)).toBe(true);
  for (const envelope of sink.envelopes) expect(decodeEnvelope(encodeEnvelope(envelope))).toEqual(envelope);
});

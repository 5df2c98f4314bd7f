import { decodeEnvelope, type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createQuickEnvelopes } from "./quick-envelope.js";

const source = { app: "agent", host: "laptop", pid: 7, instance: "k3v9q0zq1a" };

function envelopeOf(changes: Partial<Envelope> = {}): Envelope {
  const at = "2026-01-31T12:00:00.000Z";
  return {
    v: 2,
    id: "e1",
    seq: 1,
    at,
    event: "tool:after",
    source,
    session: { id: "s" },
    payload: {},
    hops: [source.instance],
    ...changes,
  };
}

function learned() {
  const quick = createQuickEnvelopes();
  const first = envelopeOf();
  quick.learn(encodeEnvelope(first), first);
  return quick;
}

describe("quick envelopes", () => {
  it("reads a line of a known sender as the long way does", () => {
    const quick = learned();
    const without = (({ session: _, ...rest }: Envelope): Envelope => rest)(envelopeOf({ id: "e3", payload: null }));
    for (const envelope of [envelopeOf({ id: "e2", seq: 2, payload: { text: 'say "hops":["x"]}' } }), without]) {
      const line = encodeEnvelope(envelope);
      expect(quick.read(line)).toEqual(decodeEnvelope(line));
      expect(quick.read(line)).toEqual(envelope);
    }
  });

  it.each([
    ["another sender", envelopeOf({ source: { ...source, app: "other" } })],
    ["other hops", envelopeOf({ hops: ["a", source.instance] })],
    ["a decision", envelopeOf({ decision: { verdict: "pass", modified: false, endLoop: false } })],
    ["an escape in a name", envelopeOf({ session: { id: 'a"b' } })],
    ["a child session", envelopeOf({ session: { id: "s", parentId: "p" } })],
  ])("leaves %s to the long way", (_, envelope) => {
    expect(learned().read(encodeEnvelope(envelope))).toBeUndefined();
  });

  it("never reads a line otherwise than the long way, however it was changed", () => {
    const quick = learned();
    const payloads = fc.anything({ values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)], maxDepth: 3 });
    const pieces = fc.constantFrom(
      ',"payload":1',
      '"',
      "\\",
      ',"decision":{}',
      ',"v":1',
      "}",
      "{",
      "\t",
      ',"hops":[]',
      "0",
      ",",
      ',"id":"x"',
    );
    fc.assert(
      fc.property(payloads, fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), pieces), { maxLength: 3 }), (payload, edits) => {
        let line = encodeEnvelope(envelopeOf({ payload: JSON.parse(JSON.stringify(payload) ?? "null") }));
        for (const [where, piece] of edits) {
          const at = Math.floor(where * line.length);
          line = line.slice(0, at) + piece + line.slice(at);
        }
        const read = quick.read(line);
        if (read !== undefined) expect(read).toEqual(decodeEnvelope(line));
      }),
      { numRuns: 3_000 },
    );
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEnvelope, encodeEnvelope } from "../catalog/envelope.js";
import { MAX_LINE_BYTES } from "../wire/hub-protocol.js";
import { createLineWriter, type LineWriterOptions } from "./line-writer.js";
import { Outgoing, type Taken } from "./outgoing.js";
import { payloadText } from "./payload-text.js";

const source = { app: 'an "app"', host: "here", pid: 7, instance: "abc" };

function write(payload: unknown, options: Partial<LineWriterOptions> = {}, more: Partial<Taken> = {}): string | undefined {
  const taken: Taken = {
    id: "id-1",
    at: 1_700_000_000_123,
    event: "tool:after",
    payload: payloadText(payload),
    session: undefined,
    decision: undefined,
    asked: undefined,
    hops: undefined,
    ...more,
  };
  const errors: unknown[] = [];
  const writer = createLineWriter({ source, maxPayloadBytes: 4_096, onError: (error) => errors.push(error), ...options });
  return writer(new Outgoing(3, 1, 100, taken));
}

const read = (...given: Parameters<typeof write>) => decodeEnvelope(write(...given) ?? "");

describe("a line", () => {
  it("is what encodeEnvelope writes, byte for byte", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.option(fc.string(), { nil: undefined }), (payload, id) => {
        const session = id === undefined ? undefined : { id, parentId: "p" };
        const line = write(payload, { redactSecrets: false, maxPayloadBytes: 1_000_000 }, { session, hops: ["other"] });
        expect(line).toBe(encodeEnvelope(decodeEnvelope(line ?? "")));
      }),
      { numRuns: 300 },
    );
  });

  it("carries number, time, session, decision and the instances it passed", () => {
    const decision = { verdict: "deny", reason: "no", modified: false, endLoop: false } as const;
    expect(read({ a: 1 }, {}, { session: { id: "s" }, decision, hops: ["x", "y"] })).toEqual({
      v: 2,
      id: "id-1",
      seq: 3,
      at: "2023-11-14T22:13:20.123Z",
      event: "tool:after",
      source,
      session: { id: "s" },
      payload: { a: 1 },
      decision,
      hops: ["x", "y", "abc"],
    });
  });

  it("has no secrets, by name, by shape, by path or by function, nor in a reason", () => {
    const secret = "hunter2-hunter2";
    expect(read({ apiKey: secret }).payload).toEqual({ apiKey: { $hookline: "redacted" } });
    expect(read({ text: `psql postgres://a:${secret}@b` }).payload).toEqual({ text: "psql postgres://a:[redacted url-password]@b" });
    expect(read({ a: { b: secret } }, { redact: ["a.b"] }).payload).toEqual({ a: { b: { $hookline: "redacted" } } });
    expect(read({ a: 1 }, { redact: () => ({ b: 2 }) }).payload).toEqual({ b: 2 });
    const decision = { verdict: "deny", reason: `password=${secret}`, modified: false, endLoop: false } as const;
    expect(read({}, {}, { decision }).decision?.reason).toBe("password=[redacted assignment]");
    expect(read({ apiKey: secret }, { redactSecrets: false }).payload).toEqual({ apiKey: secret });
  });

  it("has a payload within its size, cut and marked", () => {
    const { payload } = read({ name: "n", text: "ä".repeat(10_000) });
    expect(payload).toMatchObject({ name: "n", text: { $hookline: "truncated", bytes: 20_000 } });
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(4_096);
  });

  it("has what was asked for as it has the payload, and goes without it rather than not at all", () => {
    const decision = { verdict: "pass", modified: true, endLoop: false } as const;
    const asked = payloadText({ apiKey: "hunter2-hunter2", text: "ä".repeat(10_000), a: { b: 1 } });
    const cut = { apiKey: { $hookline: "redacted" }, text: { $hookline: "truncated", bytes: 20_000 }, a: { b: { $hookline: "redacted" } } };
    expect(read({}, { redact: ["a.b"] }, { decision, asked }).decision).toMatchObject({ ...decision, asked: cut });
    const huge = payloadText({ text: "x".repeat(3_000_000) });
    const written = write(JSON.parse(huge), { maxPayloadBytes: 3_100_000 }, { decision, asked: huge }) ?? "";
    expect(decodeEnvelope(written)).toMatchObject({ payload: JSON.parse(huge), decision: { asked: { $hookline: "size" } } });
  });

  it("is not written when it would be too long for the line", () => {
    expect(write({}, {}, { session: { id: "s".repeat(MAX_LINE_BYTES) } })).toBeUndefined();
  });

  it("carries markers for what JSON cannot", () => {
    const cyclic: { [key: string]: unknown } = { big: 1n, date: new Date(0), nan: Number.NaN, call() {}, gone: undefined };
    cyclic.self = cyclic;
    expect(read(cyclic).payload).toEqual({
      big: { $hookline: "bigint", value: "1" },
      date: "1970-01-01T00:00:00.000Z",
      nan: { $hookline: "number", value: "NaN" },
      call: { $hookline: "function", name: "call" },
      self: { $hookline: "cycle" },
    });
  });
});

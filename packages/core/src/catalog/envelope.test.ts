import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIdSource } from "../bus/event-id.js";
import { decodeEnvelope, type Envelope, encodeEnvelope } from "./envelope.js";

const step = {
  actor: { kind: "rule", name: "guard", owner: "rules", at: "hub" },
  stage: "guard",
  round: 1,
  action: "deny",
  reason: "no",
  durationMs: 0.5,
} as const;
const envelope: Envelope = {
  v: 2,
  id: createIdSource("here").next(),
  seq: 0,
  at: new Date(0).toISOString(),
  event: "tool:before",
  source: { app: "agent", host: "box", pid: 7, instance: "here" },
  session: { id: "s1", parentId: "s0" },
  payload: { tool: { name: "bash", input: { command: "ls" } } },
  decision: { verdict: "deny", reason: "no", by: "guard", cause: "HL_TIMEOUT", modified: false, endLoop: true, trail: [step] },
  hops: ["there"],
};

const line = (changes: object) => JSON.stringify({ ...envelope, ...changes });
const refusal = (text: string) => {
  try {
    decodeEnvelope(text);
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error(`accepted ${text}`);
};

describe("encodeEnvelope", () => {
  it("gives one line that decodes to the same envelope", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
        const payload = JSON.parse(JSON.stringify({ value, text }));
        const encoded = encodeEnvelope({ ...envelope, payload });
        expect(encoded).not.toMatch(/[\r\n]/);
        expect(decodeEnvelope(encoded)).toStrictEqual({ ...envelope, payload });
      }),
    );
  });

  it("never throws, whatever the payload", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }), (payload) => {
        const decision = { verdict: "pass", modified: true, endLoop: false, asked: payload } as const;
        expect(decodeEnvelope(encodeEnvelope({ ...envelope, payload, decision })).id).toBe(envelope.id);
      }),
    );
  });

  it("carries what was asked for at first, with markers, and no deeper than a hub takes", () => {
    const nested = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), 1n);
    const asked = (value: unknown) => {
      const decision = { verdict: "pass", modified: true, endLoop: false, asked: value } as const;
      return encodeEnvelope({ ...envelope, payload: 1, decision });
    };
    expect(decodeEnvelope(asked({ big: 1n, call: "ls" })).decision?.asked).toEqual({
      big: { $hookline: "bigint", value: "1" },
      call: "ls",
    });
    const depths = [...asked(nested(100))].map((sign) => (sign === "{" ? 1 : sign === "}" ? -1 : 0));
    expect(
      Math.max(
        ...depths.map(
          (
            (depth) => (by: number) =>
              (depth += by)
          )(0),
        ),
      ),
    ).toBeLessThanOrEqual(65);
  });

  it("sends null where there is no payload", () => {
    expect(decodeEnvelope(encodeEnvelope({ ...envelope, payload: undefined })).payload).toBeNull();
  });

  it("survives a payload that changes between check and use", () => {
    let reads = 0;
    const payload = {
      get fickle() {
        return ++reads === 1 ? "text" : 1n;
      },
    };
    expect(decodeEnvelope(encodeEnvelope({ ...envelope, payload })).payload).toEqual({ fickle: { $hookline: "bigint", value: "1" } });
  });
});

describe("decodeEnvelope", () => {
  it("drops fields it does not know and absent optional ones", () => {
    const { session, decision, ...rest } = envelope;
    expect(decodeEnvelope(JSON.stringify({ ...rest, extra: 1, __proto__x: 2 }))).toStrictEqual(rest);
    expect([session, decision]).not.toContain(undefined);
  });

  it.each([
    ["v", { v: 3 }],
    ["id", { id: "" }],
    ["seq", { seq: -1 }],
    ["seq", { seq: 2 ** 53 }],
    ["at", { at: "2026-01-01" }],
    ["event", { event: "tool" }],
    ["source", { source: null }],
    ["source.pid", { source: { ...envelope.source, pid: "7" } }],
    ["session.id", { session: {} }],
    ["session", { session: null }],
    ["payload", { payload: undefined }],
    ["decision.trail[0].round", { decision: { ...envelope.decision, trail: [{ ...step, round: -1 }] } }],
    ["decision.trail[0].actor.kind", { decision: { ...envelope.decision, trail: [{ ...step, actor: { kind: "god", name: "x" } }] } }],
    ["decision.trail", { decision: { ...envelope.decision, trail: "all" } }],
    ["decision.verdict", { decision: { verdict: "maybe", modified: true, endLoop: false } }],
    ["hops", { hops: "here" }],
    ["hops[1]", { hops: ["here", 5] }],
  ])("names %s", (field, changes) => {
    const error = refusal(line(changes));
    expect(error.code).toBe("HL_BAD_ENVELOPE");
    expect(error.message).toContain(`"${field}"`);
  });

  it.each(["", "{", "null", "[]", "1", `${line({})}${line({})}`, `\ufeff${line({})}`, `${line({})}\0`, line({}).slice(0, -1)])(
    "refuses %j",
    (text) => {
      expect(refusal(text).code).toBe("HL_BAD_ENVELOPE");
    },
  );

  it("quotes nothing of a line it cannot parse", () => {
    expect(refusal('{"token": hunter2').message).not.toContain("hunter2");
  });

  it("keeps a payload as deep as it comes, and can send it on", () => {
    const text = line({ payload: 0 }).replace('"payload":0', `"payload":${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(encodeEnvelope(decodeEnvelope(text))).toContain('"$hookline":"depth"');
  });
});

import { decodeEnvelope } from "@hookline/core/sinks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { readEnvelope } from "./read-envelope.js";

const resultOf = (read: (line: string) => unknown, line: string): string => {
  try {
    return `took ${JSON.stringify(read(line))}`;
  } catch (error) {
    return `refused ${String(error)}`;
  }
};
const same = (line: string): void => {
  expect(resultOf(readEnvelope, line)).toBe(resultOf(decodeEnvelope, line));
};

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1,
    1.5,
    -0,
    2 ** 53,
    "",
    "x",
    " ",
    "a:b",
    "a:*",
    ":",
    "a b",
    "é:ü",
    "tool:é",
    [],
    {},
    [[]],
    ["a"],
  ),
  fc.constantFrom<unknown>("2026-01-31T12:00:00.000Z", "2026-13-31T12:00:00.000Z", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z\n"),
  fc.constantFrom<unknown>(
    "pass",
    "allow",
    "deny",
    "ask",
    "abc",
    "a-b_c",
    "a".repeat(64),
    "a".repeat(65),
    "a".repeat(128),
    "a".repeat(129),
  ),
  fc.jsonValue(),
);
const actor = fc.record(
  {
    kind: fc.constantFrom("guard", "rule", "hook", "person", "hub", "policy"),
    name: fc.string(),
    owner: fc.string(),
    at: fc.constant("hub"),
  },
  { requiredKeys: ["kind", "name"] },
);
const step = fc.record(
  {
    actor: fc.oneof({ weight: 9, arbitrary: actor }, { weight: 1, arbitrary: odd }),
    stage: fc.constantFrom("guard", "approval"),
    round: fc.nat(),
    action: fc.constantFrom("pass", "deny", "failed"),
    reason: fc.string(),
    failure: fc.constant("timeout"),
    durationMs: fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 1, arbitrary: odd }),
  },
  { requiredKeys: ["actor", "stage", "round", "action"] },
);
const usual = {
  id: fc.constantFrom("a", "01J", "!~"),
  seq: fc.nat(),
  at: fc.constantFrom("2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z", "0000-02-31T00:00:00.000Z"),
  event: fc.constantFrom("tool:before", "tool:after", "command:git:push", "x.y:z-1"),
  source: fc.record({ app: fc.string(), host: fc.string(), pid: fc.nat(), instance: fc.constantFrom("i1", "i2") }),
  session: fc.record({ id: fc.string(), parentId: fc.string() }, { requiredKeys: ["id"] }),
  payload: fc.jsonValue(),
  decision: fc.record(
    {
      verdict: fc.constantFrom("pass", "allow", "ask", "deny"),
      reason: fc.string(),
      by: fc.string(),
      actor,
      cause: fc.string(),
      trail: fc.array(step, { maxLength: 3 }),
      modified: fc.boolean(),
      endLoop: fc.boolean(),
      asked: fc.jsonValue(),
    },
    { requiredKeys: ["verdict", "modified", "endLoop"] },
  ),
  hops: fc.array(fc.constantFrom("i1", "i2", "hub_1"), { maxLength: 4 }),
};
const whole = fc.record(
  { v: fc.constantFrom(1, 2), ...usual },
  { requiredKeys: ["v", "id", "seq", "at", "event", "source", "payload", "hops"] },
);
/** One field of one object replaced, added or taken away. */
const spoilt = fc
  .tuple(whole, fc.constantFrom([], ["source"], ["session"], ["decision"]), fc.string({ maxLength: 3 }), odd, fc.nat(), fc.boolean())
  .map(([envelope, path, name, value, pick, isGone]) => {
    const copy = structuredClone(envelope) as Record<string, unknown>;
    const target = (path.length === 0 ? copy : (copy[path[0] as string] ?? copy)) as Record<string, unknown>;
    const keys = [...Object.keys(target), "__proto__", "toString", name];
    const key = keys[pick % keys.length] as string;
    if (isGone) delete target[key];
    else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
    return copy;
  });

describe("reading an envelope", () => {
  it("takes what decodeEnvelope takes, and gives the same", () => {
    fc.assert(fc.property(whole, (envelope) => same(JSON.stringify(envelope))));
    same(JSON.stringify(sampleEnvelope()));
    same(JSON.stringify({ more: 1, ...sampleEnvelope(), extra: { a: 1 } }));
    same(JSON.stringify({ ...sampleEnvelope(), hops: Array.from({ length: 64 }, () => "i1") }));
  });

  it("refuses what decodeEnvelope refuses, with the same words", () => {
    fc.assert(
      fc.property(spoilt, (envelope) => same(JSON.stringify(envelope))),
      { numRuns: 2_000 },
    );
    for (const line of ["", "{", "null", "1", "[]", '"x"', "{}", '{"v":1}', `${JSON.stringify(sampleEnvelope())}x`]) same(line);
    same(JSON.stringify({ ...sampleEnvelope(), hops: Array.from({ length: 65 }, () => "i1") }));
    const decision = { verdict: "deny", modified: false, endLoop: false };
    for (const trail of ["x", [], [{ actor: { kind: "guard", name: "h" }, stage: "guard", round: 0, action: "deny" }], [{ actor: 1 }]])
      same(JSON.stringify({ ...sampleEnvelope(), session: { id: "s" }, decision: { ...decision, trail } }));
    same(JSON.stringify(sampleEnvelope()).replace('"payload":', '"__proto__":{"payload":1},"p":'));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTOR_KINDS } from "./actor.js";
import { decodeEnvelope, EVENT_PATTERN } from "./envelope.js";
import { envelopeSchema } from "./envelope-schema.js";
import { catalog } from "./events.js";
import { findEvent } from "./names.js";

interface Schema {
  readonly [keyword: string]: unknown;
}

const annotations = new Set(["$schema", "$id", "title", "description"]);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const types: Record<string, (value: unknown) => boolean> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
};
// As the specification has it: a keyword says nothing about values of other types than its own.
const keywords: Record<string, (rule: never, value: unknown) => boolean> = {
  type: (type: string, value) => types[type]?.(value) ?? false,
  const: (only: unknown, value) => value === only,
  enum: (all: readonly unknown[], value) => all.includes(value),
  pattern: (pattern: string, value) => typeof value !== "string" || new RegExp(pattern, "u").test(value),
  minimum: (limit: number, value) => typeof value !== "number" || value >= limit,
  maximum: (limit: number, value) => typeof value !== "number" || value <= limit,
  maxItems: (limit: number, value) => !Array.isArray(value) || value.length <= limit,
  items: (schema: Schema, value) => !Array.isArray(value) || value.every((item) => accepts(schema, item)),
  required: (keys: readonly string[], value) => !isRecord(value) || keys.every((key) => Object.hasOwn(value, key)),
  properties: (schemas: Record<string, Schema>, value) =>
    !isRecord(value) || Object.entries(schemas).every(([key, schema]) => !Object.hasOwn(value, key) || accepts(schema, value[key])),
};

function accepts(schema: Schema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, rule]) => {
    if (annotations.has(keyword)) return true;
    const check = keywords[keyword];
    if (check === undefined) throw new Error(`The schema uses "${keyword}", which this test does not know.`);
    return check(rule as never, value);
  });
}

function decodes(line: string): boolean {
  try {
    decodeEnvelope(line);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "HL_BAD_ENVELOPE" });
    return false;
  }
}

const instance = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const optional = { requiredKeys: [] as never[] };
const actor = fc.record(
  { kind: fc.constantFrom(...ACTOR_KINDS), name: fc.string(), owner: fc.string(), at: fc.string() },
  { requiredKeys: ["kind", "name"] },
);
const step = fc.record(
  { actor, stage: fc.string(), round: fc.nat(), action: fc.string(), durationMs: fc.nat() },
  { requiredKeys: ["actor", "stage", "round", "action"] },
);
const envelopes = fc
  .record({
    needed: fc.record({
      v: fc.constant(2),
      id: fc.stringMatching(/^[!-~]{1,30}$/),
      seq: fc.maxSafeNat(),
      at: fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }).map((date) => date.toISOString()),
      event: fc.constantFrom(...Object.keys(catalog), "myapp:deployed", "tui:tool.start"),
      source: fc.record({ app: fc.string(), host: fc.string(), pid: fc.nat(), instance }),
      payload: fc.jsonValue(),
      hops: fc.array(instance, { maxLength: 3 }),
    }),
    extra: fc.record(
      {
        session: fc.record({ id: fc.string(), parentId: fc.string() }, { requiredKeys: ["id"] }),
        decision: fc.record(
          {
            verdict: fc.constantFrom("pass", "allow", "ask", "deny"),
            reason: fc.string(),
            by: fc.string(),
            cause: fc.string(),
            modified: fc.boolean(),
            endLoop: fc.boolean(),
            trail: fc.array(step, { maxLength: 3 }),
            asked: fc.jsonValue(),
          },
          { requiredKeys: ["verdict", "modified", "endLoop"] },
        ),
        unknown: fc.jsonValue(),
      },
      optional,
    ),
  })
  .map(({ needed, extra }) => JSON.parse(JSON.stringify({ ...needed, ...extra })) as Record<string, unknown>);

const strange = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, "", 0, 1, -1, 1.5, 2 ** 53, 1e300, true, [], {}, "a b", "x".repeat(200), "tool:*", "t:\u0007", "a:é"),
  fc.constantFrom<unknown>("2026-02-30T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01T00:00:00Z"),
  fc.array(instance, { minLength: 60, maxLength: 70 }),
);
const mutation = fc.record({ pick: fc.nat(), depth: fc.integer({ min: 0, max: 2 }), remove: fc.boolean(), value: strange });

function mutate(
  target: Record<string, unknown>,
  { pick, depth, remove, value }: { pick: number; depth: number; remove: boolean; value: unknown },
): void {
  const keys = Object.keys(target);
  const key = keys[pick % keys.length];
  if (key === undefined) return;
  const child = target[key];
  if (depth > 0 && isRecord(child)) mutate(child, { pick: Math.floor(pick / 7), depth: depth - 1, remove, value });
  else if (remove) delete target[key];
  else target[key] = value;
}

describe("envelopeSchema", () => {
  it("accepts what decodeEnvelope accepts", () => {
    fc.assert(
      fc.property(envelopes, (envelope) => {
        expect(accepts(envelopeSchema, envelope)).toBe(true);
        expect(decodes(JSON.stringify(envelope))).toBe(true);
      }),
    );
  });

  it("refuses what decodeEnvelope refuses", () => {
    let refused = 0;
    fc.assert(
      fc.property(envelopes, fc.array(mutation, { minLength: 1, maxLength: 3 }), (envelope, mutations) => {
        for (const change of mutations) mutate(envelope, change);
        const line = JSON.stringify(envelope);
        const accepted = accepts(envelopeSchema, JSON.parse(line));
        // The schema is that of version 2. Version 1 is read, too, and has a test of its own.
        expect(decodes(line) && JSON.parse(line).v !== 1).toBe(accepted);
        if (!accepted) refused++;
      }),
      { numRuns: 3000 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  it("takes the same event names as the catalogue does", () => {
    const pattern = new RegExp(EVENT_PATTERN, "u");
    for (const name of Object.keys(catalog)) expect(pattern.test(name)).toBe(true);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "Z", "9", ":", ".", "-", "_", "*", " ", "\n", "\u0000", "\u0085", "é", "😀") }),
        (rest) => {
          // An envelope has the canonical name: one with spaces around it is a spelling.
          for (const name of [`own:${rest}`, `x${rest}`]) expect(pattern.test(name)).toBe(findEvent(name)?.name === name);
        },
      ),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyJsonSafe, toJsonSafe } from "./json-safe.js";

const nested = (depth: number): unknown => (depth === 0 ? "end" : [nested(depth - 1)]);
const thrower = () => {
  throw new Error("no entry");
};
const unreadable = { $hookline: "unreadable", message: "no entry" };

describe("toJsonSafe", () => {
  it("gives back the very value where JSON carries it exactly", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(toJsonSafe(plain)).toBe(plain);
        expect(copyJsonSafe(plain)).toEqual(plain);
      }),
    );
    const lone = { text: "\ud800", separators: "\u2028\u2029" };
    expect(toJsonSafe(lone)).toBe(lone);
    expect(JSON.parse(JSON.stringify(lone))).toEqual(lone);
  });

  it("always gives what JSON carries exactly, and says the same twice", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withBoxedValues: true,
      withNullPrototype: true,
      withObjectString: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const safe = toJsonSafe(value);
        expect(JSON.parse(JSON.stringify(safe))).toEqual(safe);
        expect(toJsonSafe(safe)).toBe(safe);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, unknown, unknown]>([
    ["bigint", 12n, { $hookline: "bigint", value: "12" }],
    ["function", thrower, { $hookline: "function", name: "thrower" }],
    ["symbol", Symbol("s"), { $hookline: "symbol", name: "s" }],
    ["NaN", Number.NaN, { $hookline: "number", value: "NaN" }],
    ["infinity", -Infinity, { $hookline: "number", value: "-Infinity" }],
    ["undefined", undefined, null],
    ["date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["invalid date", new Date(Number.NaN), null],
    ["error", Object.assign(new TypeError("bad"), { code: "E_BAD" }), { name: "TypeError", message: "bad", code: "E_BAD" }],
    ["map", new Map([["a", 1n]]), { $hookline: "map", entries: [["a", { $hookline: "bigint", value: "1" }]] }],
    ["set", new Set([1, undefined]), { $hookline: "set", entries: [1, null] }],
    ["bytes", new Uint8Array(5), { $hookline: "bytes", byteLength: 5 }],
    ["buffer", new ArrayBuffer(6), { $hookline: "bytes", byteLength: 6 }],
    ["node buffer", Buffer.from("abc"), { $hookline: "bytes", byteLength: 3 }],
    ["toJSON that throws", { toJSON: thrower }, unreadable],
    ["url", new URL("http://x/"), "http://x/"],
    [
      "instance",
      new (class A {
        b = 1;
        get c() {
          return 2;
        }
      })(),
      { b: 1 },
    ],
  ])("%s", (_, value, safe) => {
    expect(toJsonSafe(value)).toEqual(safe);
    expect(toJsonSafe({ in: [value] })).toEqual({ in: [safe] });
  });

  it("drops undefined members and makes undefined items null, as JSON does", () => {
    expect(toJsonSafe({ a: undefined, b: Object.assign(new Array(3), { 0: undefined, 2: 1 }) })).toStrictEqual({ b: [null, null, 1] });
  });

  it("marks cycles, but not what is only shared", () => {
    const shared = { n: 1 };
    const value: Record<string, unknown> = { a: shared, b: shared, list: [shared] };
    expect(toJsonSafe(value)).toBe(value);
    value.self = value;
    expect(toJsonSafe(value)).toEqual({ a: shared, b: shared, list: [shared], self: { $hookline: "cycle" } });
  });

  it("reads around what throws", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const list = [1, 2, 3];
    Object.defineProperty(list, 1, { get: thrower });
    const value = {
      get a() {
        return thrower();
      },
      b: new Proxy({}, { ownKeys: thrower }),
      c: proxy,
      list,
      d: 1,
    };
    expect(toJsonSafe(value)).toEqual({
      a: unreadable,
      b: unreadable,
      c: { $hookline: "unreadable", message: expect.any(String) },
      list: [1, unreadable, 3],
      d: 1,
    });
    const throwsProxy = {
      get a() {
        throw proxy;
      },
    };
    expect(toJsonSafe(throwsProxy)).toEqual({ a: { $hookline: "unreadable", message: "" } });
  });

  it("keeps __proto__ and constructor as data", () => {
    const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"n":[{"__proto__":2}]}');
    const safe = toJsonSafe({ value, big: 1n }) as { value: object };
    expect(JSON.stringify(safe.value)).toBe(JSON.stringify(value));
    expect(Object.getPrototypeOf(safe.value)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("bounds the depth", () => {
    const deep = nested(64);
    expect(toJsonSafe(deep)).toBe(deep);
    expect(JSON.stringify(toJsonSafe(nested(65)))).toContain('{"$hookline":"depth"}');
    const abyss = JSON.parse("[".repeat(1_000_000) + "]".repeat(1_000_000));
    expect(JSON.stringify(toJsonSafe(abyss)).length).toBeLessThan(200);
    expect(toJsonSafe([[[1]]], { maxDepth: 2 })).toEqual([[{ $hookline: "depth" }]]);
  });

  it("bounds the size and marks every place where something is missing", () => {
    expect(toJsonSafe({ a: [1, 2, 3], b: 2, c: 3 }, { maxNodes: 3 })).toEqual({
      a: [1, 2, { $hookline: "size" }],
      b: { $hookline: "size" },
    });
    let graph: unknown = "leaf";
    for (let i = 0; i < 60; i++) graph = [graph, graph];
    expect(JSON.stringify(toJsonSafe(graph)).length).toBeLessThan(1_000_000);
    expect((toJsonSafe(new Array(4_000_000_000)) as unknown[]).length).toBe(100_001);
    const keys = Object.fromEntries(Array.from({ length: 100_001 }, (_, key) => [`k${key}`, key]));
    expect(toJsonSafe(keys)).toMatchObject({ k99999: 99_999, k100000: { $hookline: "size" } });
  });

  it("asks toJSON once, with the key, and finds cycles made by it", () => {
    const value = { a: { toJSON: (key: string) => ({ key, big: 1n }) } };
    expect(toJsonSafe(value)).toEqual({ a: { key: "a", big: { $hookline: "bigint", value: "1" } } });
    const loop = { toJSON: () => ({ loop }) };
    expect(toJsonSafe(loop)).toEqual({ loop: { $hookline: "cycle" } });
  });
});

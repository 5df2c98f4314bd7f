import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual } from "./deep-equal.js";

describe("deepEqual", () => {
  it.each<[unknown, unknown]>([
    [Number.NaN, Number.NaN],
    [0, -0],
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [new Date(5), new Date(5)],
    [new Date(Number.NaN), new Date(Number.NaN)],
    [new Map([["a", { x: 1 }]]), new Map([["a", { x: 1 }]])],
    [new Set([1, { a: 1 }]), new Set([1, { a: 1 }])],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    [new Float64Array([Number.NaN]), new Float64Array([Number.NaN])],
    [Buffer.from("ab"), Buffer.from("ab")],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])("%o equals %o", (a, b) => {
    expect(deepEqual(a, b)).toBe(true);
    expect(deepEqual(b, a)).toBe(true);
  });

  it.each<[unknown, unknown]>([
    [1, "1"],
    [null, undefined],
    [null, {}],
    [{ a: undefined }, {}],
    [{ a: undefined }, { b: undefined }],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[undefined], new Array(1)],
    [[1], Object.assign([1], { extra: 1 })],
    [{ [Symbol.for("s")]: 1 }, { [Symbol.for("s")]: 2 }],
    [new Date(5), new Date(6)],
    [new Date(5), 5],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Map(), new Set()],
    [new Set([1]), new Set([2])],
    [new Uint8Array([1, 2]), new Uint8Array([1, 3])],
    [new Uint8Array(1), new Uint8Array(2)],
    [new Uint8Array(1), new Int8Array(1)],
    [new DataView(new ArrayBuffer(1)), new DataView(new ArrayBuffer(2))],
    [new ArrayBuffer(1), new ArrayBuffer(2)],
    [new URL("http://a"), new URL("http://b")],
    [() => 1, () => 1],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":2}}')],
    [JSON.parse('{"__proto__":{}}'), {}],
    [Object.create({ a: 1 }), Object.create({ a: 2 })],
  ])("%o differs from %o", (a, b) => {
    expect(deepEqual(a, b)).toBe(false);
    expect(deepEqual(b, a)).toBe(false);
  });

  it("compares an instance of a user's class by identity: its private state is invisible", () => {
    class Secret {
      readonly #value: number;
      constructor(value: number) {
        this.#value = value;
      }
      get value() {
        return this.#value;
      }
    }
    const one = new Secret(1);
    expect(deepEqual({ one }, { one })).toBe(true);
    expect(deepEqual({ one }, { one: new Secret(2) })).toBe(false);
  });

  it("ends on cycles", () => {
    const ring = (length: number, last: unknown) => {
      const nodes = Array.from({ length }, (_, i) => ({ i: i === length - 1 ? last : 0, next: undefined as unknown }));
      nodes.forEach((node, i) => {
        node.next = nodes[(i + 1) % length];
      });
      return nodes[0];
    };
    expect(deepEqual(ring(3, 0), ring(3, 0))).toBe(true);
    expect(deepEqual(ring(2, 0), ring(3, 0))).toBe(true);
    expect(deepEqual(ring(3, 1), ring(3, 2))).toBe(false);
    expect(deepEqual(ring(2, 1), ring(3, 1))).toBe(false);
  });

  it("looks at shared parts once", () => {
    let reads = 0;
    const shared = (depth: number): object => {
      let left: object = { end: 1 };
      let right: object = { end: 1 };
      for (let i = 0; i < depth; i++) {
        const [a, b] = [left, right];
        const node = () => ({
          get a() {
            reads++;
            return a;
          },
          get b() {
            reads++;
            return b;
          },
        });
        [left, right] = [node(), node()];
      }
      return left;
    };
    const chain = (depth: number): object => {
      let node: object = { end: 1 };
      for (let i = 0; i < depth; i++) node = { a: node, b: node };
      return node;
    };
    expect(deepEqual(chain(60), shared(60))).toBe(true);
    expect(reads).toBeLessThan(500);
  });

  it("says no to what is too deep, and never overflows", () => {
    const deep = (depth: number) => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = [value];
      return value;
    };
    expect(deepEqual(deep(400), deep(400))).toBe(true);
    expect(deepEqual(deep(501), deep(501))).toBe(false);
    expect(deepEqual(deep(1_000_000), deep(1_000_000))).toBe(false);
  });

  it("says no to what cannot be read", () => {
    const getter = () => ({
      get a() {
        throw new Error("no");
      },
    });
    const proxy = () =>
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no");
          },
        },
      );
    expect(deepEqual(getter(), getter())).toBe(false);
    expect(deepEqual(proxy(), proxy())).toBe(false);
    expect(deepEqual(Object.create(Date.prototype), Object.create(Date.prototype))).toBe(false);
  });

  it("agrees with JSON on data", () => {
    const small = fc.jsonValue({ maxDepth: 2 });
    fc.assert(fc.property(small, (value) => deepEqual(value, structuredClone(value))));
    fc.assert(
      fc.property(small, small, (a, b) => deepEqual(a, b) === (JSON.stringify(a, sortKeys) === JSON.stringify(b, sortKeys))),
      { numRuns: 2000 },
    );
  });
});

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

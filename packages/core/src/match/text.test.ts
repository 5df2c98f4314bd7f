import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTruthy, toJson, toText } from "./text.js";

const unreadable = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe("toText", () => {
  it.each([
    ["a", "a"],
    [undefined, ""],
    [null, ""],
    [1.5, "1.5"],
    [-0, "0"],
    [true, "true"],
    [10n, "10"],
    [Symbol("s"), "Symbol(s)"],
    [() => 1, ""],
    [{ a: [1] }, '{"a":[1]}'],
    [{ toString: () => "x", a: 1 }, '{"a":1}'],
  ])("writes %s", (value, expected) => {
    expect(toText(value)).toBe(expected);
  });
});

describe("toJson", () => {
  it("writes cycles and BigInt, and all that stands beside them", () => {
    const cyclic: { [key: string]: unknown } = { a: 1n, list: [undefined, "x"] };
    cyclic.self = cyclic;
    cyclic.last = "rm -rf";
    expect(toJson(cyclic)).toBe('{"a":1,"list":[null,"x"],"self":"[seen]","last":"rm -rf"}');
  });

  it("throws for what cannot be read: to a guard that is a failure, not a missing field", () => {
    const value = {
      get bad() {
        throw new Error("no");
      },
      gone: unreadable(),
      good: "seen",
    };
    expect(() => toJson(value)).toThrow();
    expect(() => toJson({ gone: unreadable() })).toThrow();
  });

  it("writes what nests too deep for JSON.stringify", () => {
    let value: unknown = "hidden";
    for (let i = 0; i < 200_000; i++) value = [value];
    expect(toJson(value)).toContain('["hidden"]');
  });

  it("ends on what nests without end, and says that it could not be searched", () => {
    const endless = (): object => ({
      get a() {
        return endless();
      },
    });
    expect(() => toJson({ endless: endless(), command: "rm -rf" })).toThrow(/too many to search/);
  });

  it("is JSON.stringify beside an unwritable neighbour too", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => toJson([value, 1n]) === JSON.stringify([value, 1])));
  });
});

describe("isTruthy", () => {
  it.each([[""], [[]], [{}], [false], [0], [Number.NaN], [0n], [null], [undefined], [Object.create(null)]])("%s is not", (value) => {
    expect(isTruthy(value)).toBe(false);
  });

  it("cannot be said of what cannot be read", () => {
    expect(() => isTruthy(unreadable())).toThrow();
  });

  it.each([["x"], [" "], ["0"], [[0]], [{ a: undefined }], [true], [-1], [new Date(0)], [new Map()]])("%s is", (value) => {
    expect(isTruthy(value)).toBe(true);
  });
});

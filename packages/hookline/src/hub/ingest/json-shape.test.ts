import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan, measureJson, readPlainFields } from "./json-shape.js";

const limits = { levels: 64, keys: 1_000, values: 1_000 };

function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, member) => sum + keysIn(member), own);
}

describe("measureJson", () => {
  it("counts keys as a parser would, whatever stands in texts and keys", () => {
    const signs = fc.constantFrom("{", "[", '"', "\\", "]", "}", ":", ",", "a");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: signs }), (value) => {
        expect(measureJson(JSON.stringify(value), limits)).toEqual({ keys: keysIn(value) });
      }),
    );
  });

  it("counts a key that is written twice twice, however it is spelled", () => {
    expect(measureJson('{"a":1,"\\u0061":{"a":2}}', limits).keys).toBe(3);
  });

  it("says which limit is passed first", () => {
    const measured = (text: string) => measureJson(text, { levels: 3, keys: 3, values: 4 }).exceeds;
    expect(measured("[[[1]]]")).toBeUndefined();
    expect(measured("[[[[1]]]]")).toBe("levels");
    expect(measured('{"a":1,"b":2,"c":3}')).toBeUndefined();
    expect(measured('{"a":1,"b":2,"c":3,"d":4}')).toBe("keys");
    expect(measured("[1,2,3,4]")).toBeUndefined();
    expect(measured("[1,2,3,4,5]")).toBe("values");
    expect(measured("[[1],[2]]")).toBeUndefined();
    expect(measured("[[1],[2],[3]]")).toBe("values");
    expect(measured("[".repeat(5_000_000))).toBe("levels");
    expect(measured('"[[[[')).toBeUndefined();
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("isDeeperThan", () => {
  it("counts as a parser would, whatever stands in texts and keys", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6, stringUnit: fc.constantFrom("{", "[", '"', "\\", "]", "}", "a") }),
        fc.nat(8),
        (value, levels) => {
          expect(isDeeperThan(JSON.stringify(value), levels)).toBe(depthOf(value) > levels);
        },
      ),
    );
  });

  it("answers at once for millions of levels, and for text that is not JSON", () => {
    expect(isDeeperThan("[".repeat(5_000_000), 64)).toBe(true);
    expect(isDeeperThan('"[[[[', 2)).toBe(false);
    expect(isDeeperThan('"\\', 2)).toBe(false);
    expect(isDeeperThan("", 2)).toBe(false);
  });
});

describe("readPlainFields", () => {
  it("reads the plain fields of an object as a parser would", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
        const plain = Object.entries(value).filter(([, member]) => typeof member !== "object" || member === null);
        expect(readPlainFields(` ${JSON.stringify(value, undefined, space)}`, 1_000)).toEqual(JSON.parse(JSON.stringify(plain)));
      }),
    );
  });

  it("stops at what is not JSON, and says nothing of what is not an object", () => {
    expect(readPlainFields('{"a":"x","b":{"c":["}]"]},"d":1,"e":tru', 10)).toEqual([
      ["a", "x"],
      ["d", 1],
    ]);
    for (const text of ["", "[1]", "x", '"{"']) expect(readPlainFields(text, 10)).toBeUndefined();
    for (const text of ["{", '{"', '{"a"', '{"a":', '{"a":"', "{,}"]) expect(readPlainFields(text, 10)).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan } from "./json-depth.js";

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

  it("answers at once for millions of levels, and for text that is no JSON", () => {
    expect(isDeeperThan("[".repeat(5_000_000), 64)).toBe(true);
    expect(isDeeperThan('"[[[[', 2)).toBe(false);
    expect(isDeeperThan('"\\', 2)).toBe(false);
    expect(isDeeperThan("", 2)).toBe(false);
  });
});

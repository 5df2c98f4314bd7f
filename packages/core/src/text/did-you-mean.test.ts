import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closest, didYouMean } from "./did-you-mean.js";

const options = ["name", "owner", "priority", "timeoutMs", "onFailure"];

describe("didYouMean", () => {
  it("is a sentence to append, or nothing", () => {
    expect(didYouMean("timeoutms", options)).toBe(' Did you mean "timeoutMs"?');
    expect(didYouMean("zzzzzzzz", options)).toBe("");
    expect(didYouMean("name", [])).toBe("");
  });
});

describe("closest", () => {
  const meant: [string, string][] = [
    ["nmae", "name"],
    ["anme", "name"],
    ["onwer", "owner"],
    ["OWNER", "owner"],
    ["prioritty", "priority"],
    ["timeout", "timeoutMs"],
    ["onfailure", "onFailure"],
    ["name", "name"],
  ];
  for (const [wrong, right] of meant)
    it(`to ${wrong} is ${right}`, () => {
      expect(closest(wrong, options)).toBe(right);
    });

  it("is nothing when too much differs: a third of the text, at least two characters", () => {
    expect(closest("ab", ["cd"])).toBe("cd");
    expect(closest("abc", ["xyz"])).toBeUndefined();
    expect(closest("abcdefghi", ["abcdefxyz"])).toBe("abcdefxyz");
    expect(closest("abcdefghi", ["abcdewxyz"])).toBeUndefined();
  });

  it("counts two letters that have changed places as one", () => {
    expect(closest("blcok", ["block"], 1)).toBe("block");
    expect(closest("bclok", ["block"], 1)).toBeUndefined();
  });

  it("is the first of those equally near", () => {
    expect(closest("cat", ["bat", "hat"])).toBe("bat");
    expect(closest("cat", ["hat", "bat"])).toBe("hat");
  });

  it("takes any iterable", () => {
    expect(closest("nam", new Set(options))).toBe("name");
    expect(closest("nam", new Map([["name", 1]]).keys())).toBe("name");
  });

  it("does not compare what a user would not type", () => {
    expect(closest("x".repeat(65), ["x".repeat(65)])).toBeUndefined();
    expect(closest("x".repeat(64), [`${"x".repeat(63)}y`])).toBe(`${"x".repeat(63)}y`);
    expect(closest("a".repeat(1_000_000), options)).toBeUndefined();
  });

  it("never prefers a candidate that is further away", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (wrong, candidates) => {
        const limit = Math.max(2, Math.floor(wrong.length / 3));
        const best = Math.min(...candidates.map((candidate) => distance(wrong, candidate)));
        const found = closest(wrong, candidates);
        if (best > limit) expect(found).toBeUndefined();
        else expect(distance(wrong, found ?? "nothing was found")).toBe(best);
      }),
    );
  });
});

/** The definition (optimal string alignment), as slow as it is short. */
function distance(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [a0, a1] = a;
  const [b0, b1] = b;
  const swapped = a0 === b1 && a1 === b0 && a1 !== undefined ? 1 + distance(a.slice(2), b.slice(2)) : Number.POSITIVE_INFINITY;
  const changed = distance(a.slice(1), b.slice(1)) + (a0 === b0 ? 0 : 1);
  return Math.min(swapped, changed, 1 + distance(a.slice(1), b), 1 + distance(a, b.slice(1)));
}

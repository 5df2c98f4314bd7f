import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLiteralSearch, searchablePart } from "./literal-search.js";

const letters = fc.constantFrom("a", "b", "A", "k", "K", "i", "-", " ", "K", "İ", "ü");
const text = fc.array(letters, { maxLength: 40 }).map((parts) => parts.join(""));
const literal = fc.array(fc.constantFrom("a", "b", "A", "k", "i", "-"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));

describe("a search for many literals", () => {
  it("finds each list of which a literal is in the text, whatever the case", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(literal, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
        fc.array(text, { maxLength: 4 }),
        (lists, texts) => {
          const search = createLiteralSearch(lists);
          for (const one of texts) {
            const found = [...search(one)].sort((a, b) => a - b);
            const held = lists.flatMap((list, number) =>
              list.some((each) => one.toLowerCase().includes(each.toLowerCase())) ? number : [],
            );
            // A dotted capital i is two characters in lower case, and the search counts the first one.
            if (one.includes("İ")) expect(found).toEqual(expect.arrayContaining(held));
            else expect(found).toEqual(held);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("knows every character that is ASCII in lower case", () => {
    const search = createLiteralSearch(Array.from({ length: 26 }, (_, i) => [String.fromCharCode(97 + i)]));
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code);
      const [ascii] = /[a-z]/.exec(character.toLowerCase()) ?? [];
      const expected = ascii === undefined ? [] : [ascii.charCodeAt(0) - 97];
      if (search(character).join() !== expected.join()) expect([code, search(character)]).toEqual([code, expected]);
    }
  });

  it("finds the beginning of a long literal, and a thousand of them", () => {
    const lists = Array.from({ length: 1_000 }, (_, i) => [`${"x".repeat(20)}-${i}-${"y".repeat(40)}`]);
    const search = createLiteralSearch(lists);
    expect(search(`a ${lists[321]?.[0]} z`)).toEqual([321]);
    expect(search("x".repeat(100))).toEqual([]);
  });

  it("cannot look for what is not ASCII, and looks for the rest", () => {
    expect(["plain", "näher", "ü", "", "a→bcd→e"].map(searchablePart)).toEqual(["plain", "her", "", "", "bcd"]);
  });
});

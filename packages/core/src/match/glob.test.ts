import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HookError } from "../catalog/errors.js";
import { compileGlob, globSteps } from "./glob.js";

describe("compileGlob", () => {
  it.each([
    ["Bash", "Bash", true],
    ["Bash", "bash", false],
    ["a-b", "xa-by", false],
    ["a-b", "a-b", true],
    ["", "", true],
    ["", "a", false],
    ["*", "", true],
    ["**", "a/b\nc", true],
    ["mcp__*__read", "mcp__files__read", true],
    ["mcp__*__read", "mcp__files__write", false],
    ["?", "", false],
    ["?", "ab", false],
    ["?", "😀", true],
    ["??", "😀", false],
    ["*??", "😀", false],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["\\😀?", "😀a", true],
    ["[abc]", "b", true],
    ["[abc]x", "dx", false],
    ["[a-c]*", "beta", true],
    ["[!a]", "a", false],
    ["[!a]", "b", true],
    ["[^a-c]", "b", false],
    ["[!]", "!", true],
    ["[a-]", "-", true],
    ["[a\\-c]", "b", false],
    ["[\\]]", "]", true],
    ["[[^]", "^", true],
    ["[\\d]", "5", false],
    ["[😀-😂]", "😁", true],
    ["]", "]", true],
    ["a|b", "a", false],
    ["a,b", "a,b", true],
  ])("%j against %j is %j", (pattern, text, expected) => {
    expect(compileGlob(pattern)(text)).toBe(expected);
  });

  it.each([
    ["ab[c", 2],
    ["[]", 0],
    ["a[!", 1],
    ["a\\", 1],
    ["x[z-a]", 1],
  ])("refuses %j at %i", (pattern, position) => {
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH", position }));
  });

  it("points into the longer text that a pattern stands in", () => {
    const compile = () => compileGlob("b[", { text: "a,b[", at: 2 });
    expect(compile).toThrow(HookError);
    expect(compile).toThrow("\n  a,b[\n     ^");
  });
});

// The textbook table: which prefixes of the text does each prefix of the pattern match?
function reference(pattern: string, text: string): boolean {
  const characters = Array.from(text);
  let row = characters.map(() => false);
  row.unshift(true);
  for (const token of Array.from(pattern)) {
    const next = [token === "*" && row[0] === true];
    characters.forEach((character, i) => {
      next.push(token === "*" ? row[i + 1] === true || next[i] === true : row[i] === true && (token === "?" || token === character));
    });
    row = next;
  }
  return row[characters.length] === true;
}

describe("against the reference", () => {
  const alphabet = fc.constantFrom("a", "b", "😀", "\ud83d", "\n");
  const text = fc.string({ unit: alphabet, maxLength: 12 });
  const pattern = fc.string({ unit: fc.oneof(alphabet, fc.constantFrom("*", "?", "*")), maxLength: 10 });

  it("agrees on generated patterns", () => {
    fc.assert(
      fc.property(pattern, text, (glob, given) => compileGlob(glob)(given) === reference(glob, given)),
      { numRuns: 5000 },
    );
  });

  it("matches any text with every character escaped, and nothing else", () => {
    const escaped = (given: string) => given.replace(/./gsu, "\\$&");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), text, (a, b) => compileGlob(escaped(a))(a) && compileGlob(escaped(a))(b) === (a === b)),
    );
  });

  it("agrees with a set on character classes", () => {
    const members = fc.array(fc.constantFrom<string[]>("a", "b", "]", "[", "^", "!", "-", "\\", "😀"), { minLength: 1 });
    const one = fc.constantFrom<string[]>("a", "b", "c", "]", "[", "^", "!", "-", "\\", "😀");
    fc.assert(
      fc.property(members, one, fc.boolean(), (list, character, negated) => {
        const glob = `[${negated ? "!" : ""}${list.map((member) => `\\${member}`).join("")}]`;
        return compileGlob(glob)(character) === (list.includes(character) !== negated);
      }),
    );
  });
});

describe("the work of a hostile pattern", () => {
  const sizes = [10, 100, 1000, 5000];

  it.each(sizes)("is linear for *a × %i + b", (n) => {
    expect(globSteps(`${"*a".repeat(n)}b`, "a".repeat(2 * n))).toBeLessThanOrEqual(5 * n);
  });

  it.each(sizes)("is linear for stars and question marks × %i", (n) => {
    expect(globSteps("*?".repeat(n), "a".repeat(2 * n))).toBeLessThanOrEqual(5 * n);
    expect(globSteps("*".repeat(n), "a".repeat(n))).toBeLessThanOrEqual(n + 2);
  });

  it.each([10, 100, 1000])("is at most text × pattern for one long tail of %i", (n) => {
    expect(globSteps(`*${"a".repeat(n)}b`, "a".repeat(2 * n))).toBeLessThanOrEqual((2 * n + 1) * (n + 2));
  });

  it("is at most text × pattern for whatever is generated", () => {
    const part = fc.constantFrom("a", "*", "?", "*a", "aab");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 120 }), (parts, given) => {
        const glob = parts.join("");
        return globSteps(glob, given) <= (glob.length + 2) * (given.length + 1);
      }),
      { numRuns: 2000 },
    );
  });

  it("compiles 10,000 opening brackets once and refuses them", () => {
    expect(() => compileGlob("[".repeat(10_000))).toThrow(expect.objectContaining({ position: 0 }));
  });
});

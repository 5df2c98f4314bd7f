import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearRegex } from "../linear-regex.js";
import { requiredLiterals } from "./required-literals.js";
import { ruleRegex } from "./rule-regex.js";

const character = fc.constantFrom(..."abksSKgit -./;|&<>'\"\n{}é", "ſ", "\u212a", "İ");
const text = fc.array(character, { maxLength: 14 }).map((characters) => characters.join(""));
const atom = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "g",
    "i",
    "t",
    "s",
    "k",
    " ",
    "-",
    "é",
    ".",
    "\\.",
    "\\s",
    "\\w",
    "\\b",
    "^",
    "$",
    "[ab]",
    "[^a]",
    "[]a]",
    "\\|",
  ),
  fc.constantFrom("git", "ab", "(?:", "\\$", "\\-"),
);
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{0,2}", "{2}", "{1,}", "+?", "*?");
const { pattern } = fc.letrec<{ pattern: string; sequence: string; piece: string }>((tie) => ({
  pattern: fc.oneof(
    { withCrossShrink: true, maxDepth: 4 },
    tie("sequence"),
    fc.array(tie("sequence"), { minLength: 2, maxLength: 3 }).map((all) => all.join("|")),
  ),
  sequence: fc.array(tie("piece"), { maxLength: 5 }).map((pieces) => pieces.join("")),
  piece: fc
    .tuple(
      fc.oneof(
        { maxDepth: 4 },
        atom,
        tie("pattern").map((inner) => `(${inner})`),
        tie("pattern").map((inner) => `(?:${inner})`),
      ),
      quantifier,
    )
    .map((parts) => parts.join("")),
}));

describe("the prefilter", () => {
  it("lets everything through that the pattern matches", () => {
    let matched = 0;
    const check = (source: string, given: string): void => {
      const compiled = compile(source);
      if (compiled === undefined) return;
      const isMatch = compiled.test(given);
      if (isMatch) matched++;
      expect(ruleRegex.compile(source).test(given)).toBe(isMatch);
    };
    fc.assert(
      fc.property(pattern, fc.boolean(), fc.array(text, { minLength: 1, maxLength: 6 }), (source, isFolded, texts) => {
        for (const given of texts) check(isFolded ? `(?i)${source}` : source, given);
      }),
      { numRuns: 4_000 },
    );
    expect(matched).toBeGreaterThan(500);
  });

  it("derives what every match must contain", () => {
    const of = (source: string) => requiredLiterals(source)?.literals;
    expect(of("git\\s+push\\b.*--force")).toEqual(["--force"]);
    expect(of("(^|[;&|])\\s*mkfs(\\.\\w+)?\\s")).toEqual(["mkfs"]);
    expect(of("(curl|wget)\\b[^|]*\\|\\s*(ba|z)?sh\\b")).toEqual(["curl", "wget"]);
    expect(of("ab+c")).toEqual(["ab"]);
    expect(of("(?:abc)+")).toEqual(["abc"]);
    expect(of("a|b*")).toBeUndefined();
    expect(requiredLiterals("(?i)DROP TABLE")).toEqual({ literals: ["drop table"], isFolded: true });
    expect(requiredLiterals("(?i)password")).toEqual({ literals: ["word"], isFolded: true });
  });

  it("does not guess at unknown constructs", () => {
    for (const source of ["(?s)abc.", "\\Qabc\\E", "\\x61bc", "\\pLabc", "[[:alpha:]]abc", "a(?i:b)c"]) {
      expect(requiredLiterals(source), source).toBeUndefined();
      expect(ruleRegex.compile(source).test("xabcx")).toBe(linearRegex.compile(source).test("xabcx"));
    }
  });
});

function compile(source: string): { test(text: string): boolean } | undefined {
  try {
    return linearRegex.compile(source);
  } catch {
    return undefined;
  }
}

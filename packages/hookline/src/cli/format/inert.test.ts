import { describe, expect, it } from "vitest";
import { inert, inertJson, inertLines } from "./inert.js";

// What terminals act on, and what hides or turns text.
const hostile = [
  "\u001b[31mred\u001b[0m",
  "\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u009b31m",
  "\u009d0;title\u009c",
  "a\rb",
  "a\bb",
  "\u0000",
  "\u007f",
  "safe\u202egnp.exe",
  "\u2066isolate\u2069",
  "\u061c\u200b\u200e\u200f\ufeff\u00ad",
  "line\u2028and\u2029paragraph",
  "\u{e0041}\u{e0042}",
  "half \ud800 pair",
];
const ACTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe("text of others", () => {
  it.each(hostile)("is inert on one line: %j", (text) => {
    expect(inert(text)).not.toMatch(ACTIVE);
    expect(inert(text)).toContain("\\");
    expect(inertLines(`${text}\nnext`).replaceAll("\n", "")).not.toMatch(ACTIVE);
    expect(inertLines("one\ntwo")).toBe("one\ntwo");
  });

  it.each(hostile)("is the same JSON, and inert: %j", (text) => {
    const json = inertJson(JSON.stringify({ text, [text]: 1 }));
    expect(json).not.toMatch(ACTIVE);
    expect(JSON.parse(json)).toEqual({ text, [text]: 1 });
  });

  it("leaves what people write as it is", () => {
    for (const text of ["rm -rf /", "Grüße, 日本語, 👩‍👩‍👧, می‌خواهم", "\\x1b"]) expect(inert(text)).toBe(text);
  });
});

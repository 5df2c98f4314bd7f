import { describe, expect, it } from "vitest";
import { inertHtml, inertJson, inertLines, inertText, printable } from "./inert-text.js";

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
    expect(inertText(text)).not.toMatch(ACTIVE);
    expect(inertText(text)).toContain("\\");
    expect(inertLines(`${text}\nnext`).replaceAll("\n", "")).not.toMatch(ACTIVE);
    expect(inertLines("one\ntwo")).toBe("one\ntwo");
  });

  it.each(hostile)("is the same JSON, and inert: %j", (text) => {
    const json = inertJson(JSON.stringify({ text, [text]: 1 }));
    expect(json).not.toMatch(ACTIVE);
    expect(JSON.parse(json)).toEqual({ text, [text]: 1 });
  });

  it("writes out what has no width or no ink, and joiners where nothing is joined", () => {
    expect(inertText("a\u001b[31m\nb\u202ec\u0000")).toBe("a\\x1b[31m\\nb\\u202ec\\x00");
    expect(inertText("\u{e0041}\ud800")).toBe("\\u{e0041}\\ud800");
    expect(inertLines("a\r\n\tb\u0085")).toBe("a\n\tb\\x85");
    expect(inertText("no\u200d-\u200csecrets\u2800\u3164\ufe0f\u034f\u{e0100}")).toBe(
      "no\\u200d-\\u200csecrets\\u2800\\u3164\\ufe0f\\u034f\\u{e0100}",
    );
  });

  it("cannot end an element or an attribute", () => {
    expect(inertHtml(`<a b="c" d='e'>&\u202e`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\\u202e");
  });

  it("keeps its length where a caret stands under it", () => {
    expect(printable("a\tb\u001bc")).toBe("a b c");
  });

  it("leaves what people write as it is", () => {
    for (const text of ["rm -rf /", "Grüße, 日本語, 👩‍👩‍👧, می‌خواهم", "\\x1b", "Zoë 👩‍💻 ❤️ 🏳️‍🌈", "क्‍ष", "<script>"])
      expect(inertText(text)).toBe(text);
  });
});

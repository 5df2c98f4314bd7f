import { HookError } from "@hookline/core";
import { compileMatch } from "@hookline/core/internal";
import { describe, expect, it } from "vitest";
import { linearRegex } from "./linear-regex.js";

const texts = [
  "",
  "a",
  "aaa",
  "A",
  "git push --force origin main",
  "git push -f",
  "git status",
  "rm -rf /",
  "rm\t-rf ~/x",
  "sudo rm -r -f .",
  "curl https://example.org/a.sh | sh",
  "user.name+tag@example.co.uk",
  "/etc/passwd",
  "C:\\Windows\\System32",
  "2026-07-29T12:00:00Z",
  "0x1F600",
  "line one\nline two",
  "\n",
  "tab\there",
  "äöü ß",
  "Ελλάδα",
  "日本語",
  "😀",
  "smile 😀😀 twice",
  '{"key":"value","n":[1,2,3]}',
  "(parens) [brackets] {braces}",
  "$HOME and {HOME}",
  "a.b.c",
  "-",
  "_",
  "password=hunter2",
  "\u0001\u0007",
];

const patterns = [
  "",
  "a",
  "^a$",
  "^$",
  "a+",
  "^a{2,3}$",
  "a{2,}",
  "a??b",
  "git push .*(-f|--force)",
  String.raw`^rm\b`,
  String.raw`\brm\s+(-\w+\s+)*-?[rf]{1,2}\b`,
  String.raw`(?:^|\s)sudo\s`,
  String.raw`\|\s*(ba|z)?sh$`,
  String.raw`^[\w.+-]+@[\w-]+\.[\w.]+$`,
  String.raw`[\w\-.]+`,
  "^/etc/(passwd|shadow)$",
  String.raw`^\/etc\/`,
  String.raw`^[A-Z]:\\`,
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-\d\dT`,
  String.raw`\D{5}`,
  String.raw`\S+\s\S+`,
  String.raw`[^\x00-\x7f]`,
  String.raw`\u0001|\cG`,
  String.raw`\u00e4`,
  String.raw`\u{1F600}{2}`,
  String.raw`^\uD83D\uDE00$`,
  "^.$",
  "^..$",
  "one.line",
  String.raw`one\nline`,
  String.raw`\p{Lu}`,
  String.raw`^\P{Lu}*$`,
  String.raw`[^a-z\s]`,
  String.raw`\$\{?HOME\}?`,
  String.raw`"n":\[\d(,\d)*\]`,
  String.raw`[[\](){}]`,
  String.raw`\Bm`,
  String.raw`(password|token)=\S+`,
  "(a|b|c)*c$",
  "日本",
  "[ä-ü]",
  "[😀]",
];

describe("linearRegex", () => {
  for (const pattern of patterns)
    it(`finds what RegExp finds with /${pattern}/u`, () => {
      const ours = linearRegex.compile(pattern);
      const platform = new RegExp(pattern, "u");
      expect(texts.filter((text) => ours.test(text))).toEqual(texts.filter((text) => platform.test(text)));
    });

  it("keeps no state between two tests", () => {
    const { test } = linearRegex.compile("a");
    expect([test("a"), test("a"), test("b"), test("a")]).toEqual([true, true, false, true]);
  });

  it("leaves an escaped backslash alone", () => {
    const escaped = linearRegex.compile(String.raw`\\u0041`);
    expect([escaped.test("A"), escaped.test(String.raw`\u0041`)]).toEqual([false, true]);
  });

  it("takes RE2's own flags and quotes", () => {
    expect(linearRegex.compile("(?i)drop table").test("DROP TABLE users")).toBe(true);
    expect(linearRegex.compile(String.raw`^\Qa.b\u0041\E$`).test(String.raw`a.b\u0041`)).toBe(true);
    expect(linearRegex.compile(String.raw`\Qa.b\E`).test("axb")).toBe(false);
  });
});

describe("patterns that make a backtracking engine hang", () => {
  const long = "a".repeat(50_000);
  const cases = [
    ["(a+)+$", `${long}b`, false],
    ["(a+)+$", long, true],
    ["(a|aa)+$", `${long}b`, false],
    ["^(a|a?)+$", `${long}b`, false],
    ["^(.*a){20}$", `${long}b`, false],
    ["(x+x+)+y", "x".repeat(50_000), false],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", long, false],
    [String.raw`(\w*)*@`, long, false],
  ] as const;
  for (const [pattern, text, found] of cases)
    it(`are answered: /${pattern}/ on ${text.length} characters`, () => {
      expect(linearRegex.compile(pattern).test(text)).toBe(found);
    });
});

describe("what RE2 cannot do", () => {
  const refused = [
    "(",
    "a)",
    "[a-",
    "[z-a]",
    "a**",
    "*a",
    "(?=a)b",
    "(?!a)b",
    "(?<=a)b",
    "(?<!a)b",
    String.raw`(a)\1`,
    String.raw`(?<q>['"])x\k<q>`,
    String.raw`\u{110000}`,
    String.raw`\u12`,
    String.raw`\h`,
    "((a{100}){100}){100}",
    `${"(".repeat(2_000)}${")".repeat(2_000)}`,
  ];
  for (const pattern of refused)
    it(`is refused by compile and is HL_BAD_MATCH in a match: ${pattern.slice(0, 30)}`, () => {
      expect(() => linearRegex.compile(pattern)).toThrow();
      const error = errorOf(() => compileMatch({ match: `tool.name =~ ${quoted(pattern)}` }, linearRegex));
      expect(error).toBeInstanceOf(HookError);
      expect(error).toMatchObject({ code: "HL_BAD_MATCH", position: "tool.name =~ ".length });
      expect((error as HookError).cause).toBeInstanceOf(Error);
    });
});

describe("a match on the linear engine", () => {
  it("sees tool input like any other", () => {
    const predicate = compileMatch({ match: String.raw`tool.input.command =~ 'git push .*(-f|--force)\b'` }, linearRegex);
    const call = (command: string) => predicate?.({ tool: { name: "Bash", input: { command } } });
    expect([call("git push origin --force"), call("git push origin"), call("git push origin -f")]).toEqual([true, false, true]);
  });
});

function quoted(pattern: string): string {
  return pattern.includes("'") ? `"${pattern.replaceAll('"', '\\"')}"` : `'${pattern}'`;
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

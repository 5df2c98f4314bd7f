import { describe, expect, it } from "vitest";
import { HookError } from "../catalog/errors.js";
import { compileExpression } from "./expression.js";
import { nativeRegex } from "./regex.js";

const payload = {
  tool: {
    name: "Bash",
    runtimeName: "shell_exec",
    input: {
      command: "git push -f origin",
      count: 3,
      dry: false,
      list: [],
      tags: ["a"],
      options: {},
      none: null,
      path: "C:\\temp",
      quote: "it's",
    },
    output: "done",
  },
  target: "src/main",
  prompt: "say foo bar",
};
const holds = (text: string, given: unknown = payload, value?: unknown) => compileExpression(text, nativeRegex)(given, value);

describe("names", () => {
  it.each([
    ["*"],
    [" * "],
    ["Bash"],
    ["bash"],
    ["shell_*"],
    ["src/*"],
    ["B?sh"],
    ["[A-C]ash"],
    ["[!X]*"],
    ["Read|Bash"],
    ["Read,Bash"],
    ["'Bash'"],
    ['"Read, Bash"'],
  ])("%s matches", (text) => expect(holds(text)).toBe(true));

  it.each([["ash"], ["Bas"], ["main"], ["prompt"], ["![!X]*"], ["'*.ts'"]])("%s does not", (text) => expect(holds(text)).toBe(false));

  it("takes names with dots and spaces in quotes", () => {
    expect(holds("'functions.bash'", { tool: { name: "functions.bash" } })).toBe(true);
    expect(holds("'*.ts'", { target: "a.ts" })).toBe(true);
    expect(holds("'my tool'", { tool: { name: "my tool" } })).toBe(true);
    expect(holds("my\\ tool", { tool: { name: "my tool" } })).toBe(true);
    expect(holds("'a\\*'", { tool: { name: "ab" } })).toBe(false);
    expect(holds("'it\\'s'", { tool: { name: "it's" } })).toBe(true);
  });

  it("fires on anything for *", () => {
    expect(holds("*", undefined)).toBe(true);
    expect(holds("* && tool.name", {})).toBe(false);
  });
});

describe("paths", () => {
  it.each([
    ["tool.name", true],
    ["tool.input.tags", true],
    ["tool.input.count", true],
    ["tool.input.list", false],
    ["tool.input.options", false],
    ["tool.input.dry", false],
    ["tool.input.none", false],
    ["tool.input.missing", false],
    ["tool.input.tags.0", true],
    ["tool.constructor", false],
  ])("%s is %s", (text, expected) => expect(holds(text as string)).toBe(expected));
});

describe("comparisons", () => {
  it.each([
    ["tool.name == 'Bash'"],
    ["tool.name=='Bash'"],
    ['tool.name == "Bash"'],
    ["tool.name == Bash"],
    ["tool.name == bash"],
    ["tool.name=='BASH'"],
    ["tool.name contains 'AS'"],
    ["tool.name != bas"],
    ["tool.name!=bas"],
    ["target == src/main"],
    ["prompt contains foo"],
    ["prompt contains 'foo bar'"],
    ["prompt contains''"],
    ["tool.input.count == 3"],
    ["tool.input.dry == false"],
    ["tool.input.none == ''"],
    ["tool.input.missing == ''"],
    ["tool.input.missing != x"],
    ["tool.input.tags == '[\"a\"]'"],
    ["tool.input.tags contains a"],
    ["tool.args.command contains push"],
    ["result.text == done"],
    ["tool.input.command =~ 'git push .*(-f|--force)'"],
    ["tool.input.command =~ ^git\\s+push"],
    ["tool.input.command =~ '\\bpush\\b'"],
    ["tool.name =~ Read|Bash"],
    ["tool.input.path == 'C:\\temp'"],
    ["tool.input.path == 'C:\\\\temp'"],
    ["tool.input.path == C:\\temp"],
    ["tool.input.path =~ '^C:\\\\temp$'"],
    ["tool.input.quote == 'it\\'s'"],
    ['tool.input.quote == "it\'s"'],
    ["tool.input.quote =~ 'it\\'s'"],
    ["tool.name =~ '[\\w\\-]+'"],
  ])("%s holds", (text) => expect(holds(text)).toBe(true));

  it.each([
    ["tool.name == 'bas'"],
    ["tool.name != bash"],
    ["tool.name contains sh1"],
    ["tool.name =~ ^bash"],
    ["prompt contains FOO"],
    ["target == SRC/main"],
    ["target == SRC/main || SRC/main"],
    ["tool.input.missing contains x"],
    ["tool.name =~ ^ash"],
    ["tool.input.missing =~ ."],
    ["tool.input.quote == 'it\\\"s'"],
    ["tool.input.path =~ '^C:\\temp$'"],
  ])("%s does not", (text) => expect(holds(text)).toBe(false));

  it("takes the runtime name where a tool's name is compared, as a tool filter does", () => {
    const call = { tool: { name: "Bash", runtimeName: "run_shell_command", input: {} } };
    for (const text of ["tool.name == Run_Shell_Command", "tool.name == bash", "tool.runtimeName == RUN_shell_command"])
      expect(holds(text, call)).toBe(true);
    for (const text of ["tool.name != run_shell_command", "tool.name != BASH", "tool.runtimeName == bash", "tool.name == ''"])
      expect(holds(text, call)).toBe(false);
    // Nothing is there: as with every path.
    expect(holds("tool.name == ''", { tool: {} })).toBe(true);
    expect(holds("tool.name != bash", {})).toBe(true);
  });

  it("compares the current value of a transform", () => {
    expect(holds("result.text contains new", payload, "a new text")).toBe(true);
    expect(holds("tool.output == done", payload, "a new text")).toBe(false);
    expect(holds("tool.output", payload, "")).toBe(false);
  });

  it("throws only for a payload that cannot be read", () => {
    const cyclic: { [key: string]: unknown } = { n: 1n };
    cyclic.self = cyclic;
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
        getOwnPropertyDescriptor() {
          throw new Error("no");
        },
      },
    );
    const toJSON = {
      toJSON() {
        throw new Error("no");
      },
    };
    const expression = "!Read && tool.name && tool.input != x && tool.input contains y || result =~ z || tool.name == a";
    for (const given of [undefined, null, 1, "x", { tool: { input: cyclic } }, { tool: { name: toJSON } }]) {
      expect(() => holds(expression, given, given)).not.toThrow();
    }
    for (const given of [hostile, { tool: hostile }]) expect(() => holds(expression, given, given)).toThrow("no");
    expect(holds("tool.input contains seen", { tool: { input: cyclic } })).toBe(true);
  });
});

describe("joining", () => {
  it.each([
    ["Bash && tool.input.command contains push", true],
    ["Bash&&Read", false],
    ["Read || Bash", true],
    ["Read||Bash", true],
    ["Bash || Read && Read", true],
    ["(Bash || Read) && Read", false],
    ["!Read", true],
    ["!Bash || Bash", true],
    ["!(Bash || Read)", false],
    ["! ! Bash", true],
    ["!tool.name == Bash", false],
    ["(((Bash)))", true],
    ["(tool.name == Bash)", true],
    ["tool.name == Bash&&tool.input.count == 3||Read", true],
    ["\n tool.name\t== Bash\n&& *", true],
    ["tool.name == 'a && b' || tool.name == ')('", false],
  ])("%s is %s", (text, expected) => expect(holds(text)).toBe(expected));
});

describe("errors", () => {
  it.each([
    ["", 0],
    ["   ", 3],
    ["tool.name ==", 12],
    ["tool.name == ", 13],
    ["tool.name === 'x'", 12],
    ["tool.name = 'x'", 10],
    ["tool.name='x'", 9],
    ["tool=Bash", 4],
    ["a&b", 1],
    ["tool.durationMs > 5", 16],
    ["tool.name matches x", 10],
    ["tool.name == foo bar", 17],
    ["tool.name == 'x", 13],
    ["'Bash", 0],
    ["my tool", 3],
    ["Bash(git *)", 4],
    ["Bash &&", 7],
    ["|| Bash", 0],
    ["Bash && && Read", 8],
    ["== x", 0],
    ["!", 1],
    ["(Bash", 5],
    ["(Bash Read)", 6],
    ["Bash)", 4],
    ["()", 1],
    ["*.ts", 0],
    ["src/a.ts", 3],
    ["tool..name", 5],
    ["tool.name.", 10],
    ["Read || Ba[sh", 10],
    ["'Read, Ba['", 9],
    ["Read ||  Bash,,", 14],
    ["'' || Bash", 1],
    ["tool.name =~ '('", 13],
    ["tool.name =~ ^rm(\\s|$)", 13],
    ["Bash\\", 4],
    ["Bash &", 5],
  ])("%j is refused at %i", (text, position) => {
    expect(() => holds(text)).toThrow(HookError);
    expect(() => holds(text)).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH", position }));
  });

  it("shows the place and the way out", () => {
    expect(() => holds("tool.name == foo bar")).toThrow(
      "Expected &&, || or a comparison: ==, !=, =~, contains. Quote names and values that have spaces, dots or signs.\n" +
        "  tool.name == foo bar\n" +
        "                   ^",
    );
    expect(() => holds("(Bash")).toThrow("Expected &&, ||, ) or a comparison");
  });

  it("shows a part of a long text, without what could drive a terminal", () => {
    const text = `${"tool.name == a && ".repeat(50)}\u001b]8;;x\u0007\u202e =`;
    const message = messageOf(() => holds(text));
    expect(message.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
    expect(message.length).toBeLessThan(400);
    const [, shown, caret] = message.split("\n") as [string, string, string];
    expect(shown[caret.indexOf("^")]).toBe("=");
  });

  it("keeps what the engine said", () => {
    try {
      holds("tool.name =~ '('");
      expect.unreachable();
    } catch (error) {
      expect((error as HookError).cause).toBeInstanceOf(SyntaxError);
      expect((error as HookError).message).toContain("Unterminated group");
    }
  });

  it("bounds length and depth", () => {
    expect(holds(`tool.name == ${"a".repeat(9_987)}`)).toBe(false);
    expect(() => holds("a".repeat(10_001))).toThrow(expect.objectContaining({ position: 10_000 }));
    expect(holds(`${"(".repeat(64)}Bash${")".repeat(64)}`)).toBe(true);
    expect(() => holds(`${"(".repeat(65)}Bash${")".repeat(65)}`)).toThrow(expect.objectContaining({ position: 64 }));
    expect(() => holds("(".repeat(9_999))).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH", position: 64 }));
    expect(() => holds(`${"!".repeat(65)}Bash`)).toThrow(expect.objectContaining({ position: 64 }));
    expect(holds(Array.from({ length: 1_600 }, () => "Read").join("||"))).toBe(false);
    expect(holds(Array.from({ length: 400 }, () => "!((Read))").join("&&"))).toBe(true);
  });
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It did not throw.");
}

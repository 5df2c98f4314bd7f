import { describe, expect, it } from "vitest";
import { compileMatch, describeMatch, type Match, type RegexEngine } from "./compile.js";

const payload = { tool: { name: "Bash", input: { command: "ls" } } };

describe("compileMatch", () => {
  it("has nothing to check for nothing and for *", () => {
    for (const spec of [{}, { match: undefined, tool: undefined }, { match: "*" }, { match: " * " }, { match: {} }])
      expect(compileMatch(spec)).toBeUndefined();
  });

  it("wants tool and match to hold", () => {
    const match = "tool.input.command == ls";
    expect(compileMatch({ match, tool: "Bash" })?.(payload)).toBe(true);
    expect(compileMatch({ match, tool: "Read" })?.(payload)).toBe(false);
    expect(compileMatch({ match: "tool.input.command == rm", tool: "Bash" })?.(payload)).toBe(false);
    expect(compileMatch({ match: "*", tool: ["Bash"] })?.(payload)).toBe(true);
    expect(compileMatch({ match: { contains: "ls" } })?.(payload)).toBe(true);
  });

  it("calls functions with payload and value, after the tool filter", () => {
    const seen: unknown[] = [];
    const match = (...given: unknown[]) => seen.push(...given) > 0;
    expect(compileMatch({ match, tool: "Read" })?.(payload, "value")).toBe(false);
    expect(compileMatch({ match, tool: "Bash" })?.(payload, "value")).toBe(true);
    expect(seen).toEqual([payload, "value"]);
  });

  it("makes a fact of what a function returns, and passes on what it throws", () => {
    expect(compileMatch({ match: (() => "yes") as unknown as Match })?.(payload)).toBe(true);
    expect(compileMatch({ match: (() => undefined) as unknown as Match })?.(payload)).toBe(false);
    const failing = compileMatch({
      match: () => {
        throw new TypeError("mine");
      },
    });
    expect(() => failing?.(payload)).toThrow(TypeError);
    const late = compileMatch({ match: (async () => Promise.reject(new Error("late"))) as unknown as Match });
    expect(() => late?.(payload)).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH" }));
  });

  it.each([[3], [null], [true], [["Bash"]], [/x/], [""], ["a &&"], [{ tol: "x" }], ["tool.name =~ ["]])("refuses %o", (match) => {
    expect(() => compileMatch({ match: match as Match })).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH" }));
  });

  it("refuses a bad tool filter", () => {
    expect(() => compileMatch({ tool: "" })).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH", position: 0 }));
  });

  it("runs regular expressions on the given engine, compiled once, errors placed", () => {
    const sources: string[] = [];
    const engine: RegexEngine = {
      compile(source) {
        if (source === "bad") throw "unsupported";
        sources.push(source);
        return { test: (text) => text === source };
      },
    };
    const predicate = compileMatch({ match: "tool.name =~ 'Bash' || tool.name =~ '\\d'" }, engine);
    expect([predicate?.(payload), predicate?.(payload)]).toEqual([true, true]);
    expect(sources).toEqual(["Bash", "\\d"]);
    expect(() => compileMatch({ match: "tool.name =~ bad" }, engine)).toThrow(
      expect.objectContaining({ position: 13, cause: "unsupported" }),
    );
  });
});

describe("describeMatch", () => {
  it("shows what was given", () => {
    expect(describeMatch(undefined)).toBeUndefined();
    expect(describeMatch("a && b")).toBe("a && b");
    expect(describeMatch({ tool: "x", equals: 1n })).toBe('{"tool":"x","equals":1}');
    expect(
      describeMatch(function isMine() {
        return true;
      }),
    ).toBe("function isMine");
    expect(describeMatch(() => true)).toBe("function");
  });
});

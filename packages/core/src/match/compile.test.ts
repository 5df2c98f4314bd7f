import { describe, expect, it } from "vitest";
import { compileMatch, describeMatch, type Match, type RegexEngine } from "./compile.js";
import { compileToolScope } from "./tool-scope.js";

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

describe("compileToolScope", () => {
  const isFor = (spec: Parameters<typeof compileToolScope>[0], name: string, runtimeName?: string) =>
    compileToolScope(spec)({ name, ...(runtimeName !== undefined && { runtimeName }) });

  it.each<[string, boolean]>([
    ["*", true],
    ["bash", true],
    ["bsah", false],
    ["bsah && tool.input.command contains rm", false],
    ["bsah || tool.input.command contains rm", true],
    ["tool.input.command contains rm", true],
    ["tool.name == 'bash' && tool.input.command =~ rm", true],
    ["tool.name == 'bsah' && tool.input.command =~ rm", false],
    ["tool.name == 'run_shell_command'", true],
    ["tool.name != bash", false],
    ["tool.name =~ '^bash'", false],
    ["tool.name =~ '^Bash'", true],
    ["!(tool.name == 'bash' && tool.input.command contains x)", true],
    ["!(tool.name == 'bash' || tool.input.command contains x)", false],
    ["!tool.input.command && bash", true],
    ["!!tool.input.command && read", false],
    ["!!(bash && tool.input.x)", true],
    ["(read || edit) && tool.input.path", false],
    ["cwd == '/srv' && session.id", true],
  ])("%s can be for the shell tool: %s", (match, expected) => expect(isFor({ match }, "Bash", "run_shell_command")).toBe(expected));

  it("looks at filters and at objects, and leaves open what a function does", () => {
    expect(isFor({ tool: ["read", "BASH"], match: "tool.input.command" }, "Bash")).toBe(true);
    expect(isFor({ tool: "read", match: "bash" }, "Bash")).toBe(false);
    expect(isFor({ match: { tool: "bash", contains: "x" } }, "Bash")).toBe(true);
    expect(isFor({ match: { where: { "tool.name": "re*", target: "x" } } }, "Bash")).toBe(false);
    expect(isFor({ match: { where: { "tool.name": "b*", target: "x" }, equals: {} } }, "Bash")).toBe(true);
    expect(isFor({ match: () => false }, "Bash")).toBe(true);
    expect(isFor({}, "Bash")).toBe(true);
    expect(() => isFor({ match: "bash &&" }, "Bash")).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH" }));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileToolFilter } from "./tool-filter.js";

const fires = (filter: string | readonly string[], name: string, runtimeName?: string) =>
  compileToolFilter(filter)({ tool: { name, runtimeName, input: {} } });

describe("compileToolFilter", () => {
  it("takes the API name or the runtime name", () => {
    expect(fires("Bash", "Bash")).toBe(true);
    expect(fires("shell", "Bash", "shell")).toBe(true);
    expect(fires("sh", "Bash", "shell")).toBe(false);
  });

  it.each([
    ["bash", "Bash"],
    ["BASH", "bash"],
    ["Run_Shell_*", "run_shell_command"],
    ["[B-R]ash", "bash"],
    ["[!B]ash", "mash"],
    ["[Z-a]sh", "ASH"],
    ["MCP__Files__*", "mcp__files__read"],
    ["\\BASH", "Bash"],
    ["ΟΔΌΣ", "οδόσ"],
    ["*Σ", "ΟΔΌΣ"],
    ["?x", "İX"],
    ["İ", "İ"],
    ["[ıİ]*", "ıx"],
    ["STRASSE", "strasse"],
  ])("%s takes %s: case does not count", (filter, name) => expect(fires(filter, name)).toBe(true));

  it.each([
    ["[!b]ash", "Bash"],
    ["[!B]ash", "bash"],
    ["bash", "Bas"],
    ["strasse", "straße"],
    ["i", "İ"],
  ])("%s does not take %s", (filter, name) => expect(fires(filter, name)).toBe(false));

  it("takes every name it is written as, and in any case of its letters", () => {
    const flipped = (name: string) => [name.toUpperCase(), name.toLowerCase()].filter((other) => other.length === name.length);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aBzZ_-1ſıİΣς"), minLength: 1, maxLength: 6 }), (name) => {
        expect(fires(name, name)).toBe(true);
        if (/^[\0-\x7f]*$/.test(name)) for (const other of flipped(name)) expect(fires(other, name)).toBe(true);
        expect(fires(`*${name}`, `x${name}`)).toBe(true);
      }),
    );
  });

  it("matches whole names only", () => {
    expect(fires("a-b", "xa-b")).toBe(false);
    expect(fires("Edit", "NotebookEdit")).toBe(false);
    expect(fires("*Edit", "NotebookEdit")).toBe(true);
  });

  it.each([["A,B"], ["A|B"], [" A , B "], ["A| B"], [["A", "B"]], [["A,B", "C"]], [["C|A", "B"]]])("%j is a list", (filter) => {
    expect(fires(filter, "A")).toBe(true);
    expect(fires(filter, "B")).toBe(true);
    expect(fires(filter, "AB")).toBe(false);
  });

  it("keeps escaped separators", () => {
    expect(fires("A\\,B", "A,B")).toBe(true);
    expect(fires("A\\,B", "B")).toBe(false);
    expect(fires("A\\\\,B", "A\\")).toBe(true);
  });

  it("does not fire where there is no tool", () => {
    for (const payload of [undefined, null, {}, { tool: null }, { tool: { name: 3 } }, { target: "A" }]) {
      expect(compileToolFilter("*")(payload)).toBe(false);
    }
  });

  it.each<[unknown, number | undefined]>([
    ["", 0],
    ["  ", 2],
    ["A,,B", 2],
    ["A, ", 3],
    ["A,B[", 3],
    ["A\\", 1],
    [["A", ""], 0],
    [[], undefined],
    [3, undefined],
    [null, undefined],
    [["A", 3], undefined],
    [[["A"]], undefined],
  ])("refuses %j", (filter, position) => {
    expect(() => compileToolFilter(filter as string)).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH", position }));
  });
});

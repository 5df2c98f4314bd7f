import { describe, expect, it } from "vitest";
import { tableLines } from "./table.js";

describe("tableLines", () => {
  const heading = ["NAME", "TOOL", "STATE"];
  const wide = ["a-name-that-is-rather-long", "Bash, ".repeat(30), "active"];

  it("is as wide as what stands in it", () => {
    expect(tableLines(heading, [["a", "Bash", "on"]])).toEqual(["NAME  TOOL  STATE", "a     Bash  on"]);
    expect(tableLines(heading, [wide])[1]?.length).toBeGreaterThan(200);
  });

  it("cuts the widest cells until a line fits, and no name", () => {
    const [head, row] = tableLines(heading, [wide], 60);
    expect(row).toMatch(/^a-name-that-is-rather-long {2}Bash, Bash.*… {2}active$/);
    expect([row?.length, head?.length]).toEqual([60, 59]);
    expect(tableLines(heading, [wide], 10)[1]).toBe("a-name-that-is-rather-long  Bash,…  active");
  });

  it("writes out what a terminal would act on, in every cell, and counts its columns", () => {
    const hostile = "\u001b]52;c;x\u0007\u202e\u0000";
    const [head, row] = tableLines([hostile, "B"], [["a", hostile]]);
    expect([head, row]).toEqual(["\\x1b]52;c;x\\x07\\u202e\\x00  B", `a${" ".repeat(26)}\\x1b]52;c;x\\x07\\u202e\\x00`]);
  });
});

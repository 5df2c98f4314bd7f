import { describe, expect, it } from "vitest";
import { diffLines } from "./line-diff.js";

describe("diffLines", () => {
  const text = (before: string, after: string) =>
    diffLines(before.split("\n"), after.split("\n")).map(({ kind, text: line }) => `${{ same: " ", gone: "-", new: "+" }[kind]}${line}`);
  it("keeps what both have, in order", () => {
    expect(text("a\nb\nc", "a\nx\nc")).toEqual([" a", "-b", "+x", " c"]);
    expect(text("a", "a\nb")).toEqual([" a", "+b"]);
    expect(text("a\nb", "b")).toEqual(["-a", " b"]);
    expect(text("x\n".repeat(3_000), "y\n".repeat(3_000)).length).toBe(6_001);
  });
});

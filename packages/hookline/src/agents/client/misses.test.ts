import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { collectMissTotals, readMissTotals } from "./misses.js";

describe("miss totals", () => {
  it("are counted by agent and reason, and survive being collected", () => {
    const folder = testFolder();
    const note = (line: string) => appendFileSync(join(folder, "misses.log"), `${line}\n`);
    note("2026-01-01T00:00:00Z codex PreToolUse connect");
    note("2026-01-02T00:00:00Z codex Stop connect");
    note("half a line");
    note("2026-01-02T00:00:00Z gemini BeforeTool seal");
    const totals = [
      { agent: "codex", reason: "connect", count: 2, lastAt: "2026-01-02T00:00:00Z" },
      { agent: "gemini", reason: "seal", count: 1, lastAt: "2026-01-02T00:00:00Z" },
    ];
    expect(readMissTotals(folder)).toEqual(totals);
    expect(collectMissTotals(folder)).toEqual(totals);
    expect(existsSync(join(folder, "misses.log"))).toBe(false);
    note("2026-01-03T00:00:00Z gemini BeforeTool seal");
    expect(readMissTotals(folder)[1]).toMatchObject({ count: 2, lastAt: "2026-01-03T00:00:00Z" });
  });

  it("start from zero if their file is malformed", () => {
    const folder = testFolder();
    for (const text of ["", "{}", '[{"agent":1}]']) {
      writeFileSync(join(folder, "misses.json"), text);
      expect(readMissTotals(folder)).toEqual([]);
    }
  });
});

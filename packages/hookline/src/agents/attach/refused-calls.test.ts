import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { type RefusedCalls, readRefusedCalls, withRefusedCall, writeRefusedCalls } from "./refused-calls.js";

const call = {
  agent: "codex",
  event: "PreToolUse",
  code: "HL_BAD_REQUEST",
  message: "The body is not JSON.",
  lastAt: "2026-01-01T00:00:00Z",
};

it("counts the calls that were refused for the same reason", () => {
  const rows = [call, { ...call, event: "PostToolUse" }, { ...call, lastAt: "2026-01-02T00:00:00Z" }].reduce(
    withRefusedCall,
    [] as readonly RefusedCalls[],
  );
  expect(rows).toEqual([
    { ...call, event: "PostToolUse", count: 1 },
    { ...call, lastAt: "2026-01-02T00:00:00Z", count: 2 },
  ]);
});

it("does not grow with what a program sends", () => {
  const calls = Array.from({ length: 500 }, (_, at) => ({ ...call, event: `${at}-${"x".repeat(5_000)}` }));
  const rows = calls.reduce(withRefusedCall, [] as readonly RefusedCalls[]);
  expect(rows).toHaveLength(100);
  expect(JSON.stringify(rows).length).toBeLessThan(100_000);
  expect(rows.at(-1)?.event).toMatch(/^499-/);
});

it("reads what was written, and nothing else", () => {
  const folder = testFolder();
  chmodSync(folder, 0o700);
  expect(readRefusedCalls(folder)).toEqual([]);
  const rows = withRefusedCall([], call);
  writeRefusedCalls(folder, rows);
  expect(readRefusedCalls(folder)).toEqual(rows);
  writeFileSync(join(folder, "refused.json"), JSON.stringify([...rows, { agent: 1 }, null]));
  expect(readRefusedCalls(folder)).toEqual(rows);
  writeFileSync(join(folder, "refused.json"), "[");
  expect(readRefusedCalls(folder)).toEqual([]);
});

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createGroupCommit } from "./group-commit.js";
import type { Row } from "./row.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function opened() {
  const batches: number[] = [];
  const write = (rows: readonly Row[]): number[] => {
    batches.push(rows.length);
    return rows.map((_, index) => index + 1);
  };
  const commits = createGroupCommit({ write }, { makeRoom: () => {}, maxChars: () => 1_000_000, onCommit: () => {} });
  return { batches, append: () => commits.append([{ body: "{}" } as Row], undefined, () => {}) };
}

it("writes a single append at once, also after many single ones that waited for each other", async () => {
  const { batches, append } = opened();
  for (let turn = 0; turn < 30; turn++) {
    append();
    await vi.advanceTimersByTimeAsync(0);
    expect(batches).toHaveLength(turn + 1);
    await vi.advanceTimersByTimeAsync(10);
  }
});

it("gathers what flows, however small the appends are, and stops when the flow does", async () => {
  const { batches, append } = opened();
  for (let ms = 0; ms < 400; ms++) {
    append();
    append();
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(batches.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(780);
  expect(Math.max(...batches.slice(-10, -1))).toBeLessThanOrEqual(14);
  expect(Math.min(...batches.slice(-10, -1))).toBeGreaterThanOrEqual(8);
  await vi.advanceTimersByTimeAsync(500);
  append();
  await vi.advanceTimersByTimeAsync(5);
  const before = batches.length;
  append();
  await vi.advanceTimersByTimeAsync(0);
  expect(batches).toHaveLength(before + 1);
});

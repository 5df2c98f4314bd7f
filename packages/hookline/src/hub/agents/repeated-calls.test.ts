import { describe, expect, it } from "vitest";
import { createRecent, type Sameness } from "./repeated-calls.js";

const LONG_MS = 3_600_000;

function counted() {
  let runs = 0;
  const recent = createRecent<number>();
  const once = (same: Partial<Sameness> | undefined, run = async () => ++runs) =>
    recent.once(same && { key: "k", windowMs: LONG_MS, hookOf: "copilot", isCertain: true, ...same }, run);
  return { once, runs: () => runs };
}

describe("createRecent", () => {
  it("does once what comes twice, at the same time or shortly after", async () => {
    const { once, runs } = counted();
    expect(await Promise.all([once({}), once({})])).toEqual([1, 1]);
    expect(await once({})).toBe(1);
    expect(await once({ key: "another" })).toBe(2);
    expect(runs()).toBe(2);
  });

  it("does again what has no name, and what comes later", async () => {
    const { once } = counted();
    expect([await once(undefined), await once(undefined)]).toEqual([1, 2]);
    await once({ windowMs: 0 });
    await expect.poll(() => once({ windowMs: 0 })).toBeGreaterThan(3);
  });

  it("takes two reports by one hook for two calls, if the calls have no id", async () => {
    const { once } = counted();
    const unnamed = { isCertain: false };
    expect(await once(unnamed)).toBe(1);
    expect(await once({ ...unnamed, hookOf: "claude-code" })).toBe(1);
    expect(await once(unnamed)).toBe(2);
    expect(await once({ ...unnamed, hookOf: "claude-code" })).toBe(2);
  });

  it("keeps no failure", async () => {
    const { once } = counted();
    await expect(once({}, () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(await once({})).toBe(1);
  });
});

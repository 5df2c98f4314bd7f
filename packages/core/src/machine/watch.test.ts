import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { watchSignature } from "./watch.js";

function watching(signature: () => string, before: string): { told: number } {
  const seen = { told: 0 };
  const watch = watchSignature({ signature, before, onChange: () => seen.told++ });
  onTestFinished(() => watch.close());
  return seen;
}

describe("watchSignature", () => {
  it("tells of what changed before it began to look, and of nothing twice", async () => {
    const seen = watching(() => "now", "before");
    await expect.poll(() => seen.told).toBe(1);
    await sleep(1_000);
    expect(seen.told).toBe(1);
  });

  it("tells in the end of what never rests", async () => {
    let looks = 0;
    const seen = watching(() => String(looks++), "before");
    await expect.poll(() => seen.told).toBeGreaterThan(0);
    expect(looks).toBeGreaterThan(10);
  });

  it("tells of a change that was taken back while it settled", async () => {
    const texts = ["a", "b", "a"];
    const seen = watching(() => texts.shift() ?? "a", "0");
    await expect.poll(() => seen.told).toBe(1);
  });
});

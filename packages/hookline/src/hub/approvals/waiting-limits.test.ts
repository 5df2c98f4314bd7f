import { describe, expect, it } from "vitest";
import { WaitingLimits, weigh } from "./waiting-limits.js";

const from = (instance: string) => ({ app: "a", host: "h", pid: 1, instance });
const full = expect.objectContaining({ code: "HL_LIMIT" });

describe("the limits of waiting approvals", () => {
  it("has so many places for one source, and others for the rest", () => {
    const limits = new WaitingLimits();
    const leave = Array.from({ length: 200 }, () => limits.enter(10, from("flood")));
    expect(() => limits.enter(10, from("flood"))).toThrow(full);
    for (const source of ["b", "c", "d", "e"]) for (let i = 0; i < 200; i++) limits.enter(10, from(source));
    expect(() => limits.enter(10, from("late"))).toThrow(full);
    leave[0]?.();
    limits.enter(10, from("late"));
    expect(() => limits.enter(10, undefined)).toThrow(full);
  });

  it("is full when there is more than a person can read", () => {
    const limits = new WaitingLimits();
    const leave = Array.from({ length: 16 }, () => limits.enter(1_000_000, undefined));
    expect(() => limits.enter(1, undefined)).toThrow(full);
    leave[3]?.();
    limits.enter(1_000_000, undefined);
  });
});

describe("weigh", () => {
  it("is about what there is to read, and throws for too much", () => {
    expect(weigh([{ command: "ls" }, undefined])).toBeLessThan(50);
    expect(weigh([{ text: "x".repeat(900_000) }])).toBeGreaterThan(900_000);
    for (const large of ["x".repeat(1_000_001), Array(500_000).fill(0), { a: { b: ["x".repeat(600_000), "x".repeat(600_000)] } }])
      expect(() => weigh([large])).toThrow(full);
  });
});

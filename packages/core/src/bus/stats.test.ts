import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Durations } from "./stats.js";

describe("durations", () => {
  it("know nothing before the first", () => {
    expect(new Durations().percentile(0.5)).toBeUndefined();
  });

  it("give percentiles within 20 %, or 0.1 µs", () => {
    const milliseconds = fc.double({ min: 0, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(milliseconds, { minLength: 1, maxLength: 50 }), fc.constantFrom(0.5, 0.99), (values, fraction) => {
        const durations = new Durations();
        for (const value of values) durations.add(value);
        const exact = [...values].sort((a, b) => a - b)[Math.ceil(values.length * fraction) - 1] as number;
        expect(Math.abs((durations.percentile(fraction) as number) - exact)).toBeLessThanOrEqual(Math.max(0.0001, exact * 0.2));
      }),
    );
  });

  it("keep what is longer than they can tell", () => {
    const durations = new Durations();
    durations.add(1e12);
    durations.add(Number.POSITIVE_INFINITY);
    expect(durations.percentile(0.99)).toBeGreaterThan(100_000);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketOf, Durations, quantile, readHistogram, sumOfHistograms } from "./histogram.js";

describe("buckets", () => {
  it("are the rounded logarithm that stores hold, four to a doubling", () => {
    const milliseconds = fc.double({ min: -13, max: 30, noNaN: true }).map((exponent) => 2 ** exponent);
    fc.assert(
      fc.property(milliseconds, (ms) => {
        expect(Math.abs(bucketOf(ms) - Math.log2(ms) * 4)).toBeLessThanOrEqual(0.500_01);
      }),
    );
    expect([bucketOf(0.001), bucketOf(1), bucketOf(1.1), bucketOf(1.9), bucketOf(8)]).toEqual([-40, 0, 1, 4, 12]);
  });

  it("have a first and a last", () => {
    expect([-1, 0, Number.NaN].map(bucketOf)).toEqual([-53, -53, -53]);
    expect([1e9, 1e12, Number.POSITIVE_INFINITY].map(bucketOf)).toEqual([120, 120, 120]);
  });
});

describe("durations", () => {
  it("have no percentile before the first call", () => {
    expect(new Durations().quantile(0.5)).toBeUndefined();
  });

  it("give percentiles within 20 %, or 0.1 µs", () => {
    const milliseconds = fc.double({ min: 0, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(milliseconds, { minLength: 1, maxLength: 50 }), fc.constantFrom(0.5, 0.99), (values, fraction) => {
        const durations = new Durations();
        for (const value of values) durations.add(value);
        const exact = [...values].sort((a, b) => a - b)[Math.ceil(values.length * fraction) - 1] as number;
        expect(Math.abs((durations.quantile(fraction) as number) - exact)).toBeLessThanOrEqual(Math.max(0.0001, exact * 0.2));
      }),
    );
  });

  it("count a duration that is longer than the last bucket", () => {
    const durations = new Durations();
    durations.add(1e12);
    durations.add(Number.POSITIVE_INFINITY);
    expect(durations.quantile(0.99)).toBeGreaterThan(100_000);
  });
});

describe("histograms as text", () => {
  it("add up", () => {
    expect(sumOfHistograms("-3:1 4:2", "4:5 9:1")).toBe("-3:1 4:7 9:1");
    expect(readHistogram(" 9:1  -3:1")).toEqual([
      [-3, 1],
      [9, 1],
    ]);
    expect([sumOfHistograms("", ""), quantile([], 0.5)]).toEqual(["", null]);
  });
});

import { describe, expect, it } from "vitest";
import { type Stretch, scan } from "./scan.js";

/** Looks at every stretch until the search is over, one share of time after the other. */
function goThrough(whole: Stretch, order: "ASC" | "DESC", take: (stretch: Stretch) => boolean): { seen: Stretch[]; shares: number } {
  const seen: Stretch[] = [];
  let shares = 0;
  for (let rest: Stretch | undefined = whole; rest !== undefined; shares++) {
    rest = scan(rest, order, (stretch) => {
      seen.push(stretch);
      return take(stretch);
    });
  }
  return { seen, shares };
}

/** Longer than a share of time. */
function waste(): void {
  for (const end = performance.now() + 60; performance.now() < end; );
}

describe("scan", () => {
  it.each(["ASC", "DESC"] as const)("%s: looks at every place once and in order, also in several shares of time", (order) => {
    const whole = { first: 7, last: 200_000 };
    const { seen, shares } = goThrough(whole, order, () => {
      waste();
      return false;
    });
    const stretches = order === "ASC" ? seen : seen.toReversed();
    expect(stretches.length).toBeGreaterThan(4);
    expect(shares).toBe(stretches.length);
    let next = whole.first;
    for (const { first, last } of stretches) {
      expect(first).toBe(next);
      expect(last).toBeGreaterThanOrEqual(first);
      next = last + 1;
    }
    expect(next).toBe(whole.last + 1);
  });

  it("ends as soon as there is enough, and looks at few places first", () => {
    const { seen, shares } = goThrough({ first: 1, last: 1_000_000 }, "DESC", () => true);
    expect([seen, shares]).toEqual([[{ first: 995_001, last: 1_000_000 }], 1]);
  });

  it("looks at nothing where there is nothing", () => {
    expect(goThrough({ first: 1, last: 0 }, "ASC", () => true).seen).toEqual([]);
  });
});

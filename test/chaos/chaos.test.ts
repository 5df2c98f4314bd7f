import { describe, expect, it } from "vitest";
import { Judge, judgeStore } from "../faults/judge.ts";
import { type Claim, sendingAt } from "../faults/oracle.ts";
import { judgeSink } from "../faults/sink-rows.ts";
import type { StoredRow } from "../faults/store-rows.ts";
import type { Outcome } from "./run-seed.ts";
import { stepAt } from "./schedule.ts";
import { shrink } from "./shrink.ts";

const claim: Claim = { name: "http-1", seed: 3, emitted: 10, wasKilled: true, owed: 6 };

function rowsOf(count: number): StoredRow[] {
  return Array.from({ length: count }, (_, index) => {
    const { event, payload } = sendingAt(claim.name, claim.seed, index);
    return { place: index + 1, id: `i${index}`, seq: index + 1, app: claim.name, event, payload };
  });
}

function wrongIn(rows: readonly StoredRow[]): string[] {
  const judge = new Judge();
  judgeStore(judge, rows, [claim]);
  return Object.entries(judge.verdict("", 0).cells).flatMap(([invariant, { violations }]) => (violations.length > 0 ? [invariant] : []));
}

describe("the judge of a publisher that was killed", () => {
  it("is content with what was acknowledged, and with more of what was sent", () => {
    expect([wrongIn(rowsOf(6)), wrongIn(rowsOf(10))]).toEqual([[], []]);
  });

  it("finds what is lost, made up, changed, out of order and there twice", () => {
    const rows = rowsOf(8);
    const [first, second] = rows as [StoredRow, StoredRow];
    expect(wrongIn(rowsOf(5))).toEqual(["I1"]);
    expect(wrongIn(rowsOf(12))).toEqual(["I2"]);
    expect(wrongIn([{ ...first, payload: { ...(first.payload as object), size: -1 } }, ...rows.slice(1)])).toEqual(["I3"]);
    expect(wrongIn([second, first, ...rows.slice(2)])).toEqual(["I4"]);
    expect(wrongIn([...rows, { ...second, seq: 9 }])).toEqual(["I5"]);
  });

  it("finds what a sink did not get, made up, or got in another form", () => {
    const stored = [1, 2].map((number) => ({ id: `i${number}`, payload: `${number}` }));
    const wrong = (got: typeof stored): string[] => {
      const judge = new Judge();
      judgeSink(judge, "sink", got, stored);
      return Object.entries(judge.verdict("", 0).cells).flatMap(([invariant, { violations }]) =>
        violations.length > 0 ? [invariant] : [],
      );
    };
    expect(wrong([...stored, ...stored])).toEqual([]);
    expect(wrong(stored.slice(1))).toEqual(["I1"]);
    expect(wrong([...stored, { id: "i3", payload: "3" }])).toEqual(["I2"]);
    expect(wrong([...stored, { id: "i2", payload: "other" }])).toEqual(["I5"]);
  });
});

describe("a schedule", () => {
  it("is fixed by its seed, step by step, and cuts the power twice in six steps", () => {
    const names = (seed: number) => Array.from({ length: 12 }, (_, index) => stepAt(seed, index).faults.map(({ name }) => name));
    expect(names(7)).toEqual(names(7));
    expect(names(7)).not.toEqual(names(8));
    for (const index of [1, 4, 7, 10]) expect(stepAt(7, index).faults[0]?.name).toBe("power cut");
  });

  it("is made as short as it can be while it still fails", async () => {
    const run = async ({ steps = [] }: { readonly steps?: readonly number[] }): Promise<Outcome> => {
      const judge = new Judge();
      judge.expect("I1", !(steps.includes(3) && steps.includes(9)), "lost");
      return { verdict: judge.verdict("", 0), kills: 0, cuts: 0, events: 0, steps: [], leftOut: new Set(), faults: new Map() };
    };
    expect(
      await shrink(
        Array.from({ length: 12 }, (_, index) => index),
        run,
        () => {},
      ),
    ).toEqual([3, 9]);
  });
});

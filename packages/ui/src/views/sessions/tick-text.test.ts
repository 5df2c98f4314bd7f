import { expect, it } from "vitest";
import { niceStep, ticksBetween, tickText } from "./tick-text.js";

it("says when a tick is, exactly enough to tell it from the next", () => {
  const ticks = (from: number, stepMs: number) => [0, 1, 2].map((tick) => tickText(from + tick * stepMs, stepMs));
  expect(ticks(0, 9_000)).toEqual(["0", "9 s", "18 s"]);
  expect(ticks(0, 1_200)).toEqual(["0", "1.2 s", "2.4 s"]);
  expect(ticks(0, 0.5)).toEqual(["0", "0.50 ms", "1.00 ms"]);
  expect(ticks(41_250, 20)).toEqual(["41.250 s", "41.270 s", "41.290 s"]);
  expect(ticks(59_000, 500)).toEqual(["59.00 s", "59.50 s", "1 min"]);
  expect(ticks(-2_000, 2_000)).toEqual(["−2.0 s", "0", "2.0 s"]);
  expect(ticks(7_200_000, 1_830_000)).toEqual(["2 h", "2 h 30 min 30 s", "3 h 1 min"]);
});

it("has ticks that clocks have", () => {
  expect([3, 300, 700, 4_000, 11_000, 70_000, 5_000_000].map(niceStep)).toEqual([5, 500, 1_000, 5_000, 15_000, 120_000, 7_200_000]);
  expect(ticksBetween(0, 10_000, 5_000)).toEqual([0, 5_000, 10_000]);
  expect(ticksBetween(1, 12, 5)).toEqual([5, 10]);
});

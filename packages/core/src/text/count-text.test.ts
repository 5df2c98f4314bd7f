import { expect, it } from "vitest";
import { countText } from "./count-text.js";

it("a count names one thing or several, with groups of three digits", () => {
  expect([0, 1, 2, 1_234_567].map((count) => countText(count, "event"))).toEqual(["0 events", "1 event", "2 events", "1,234,567 events"]);
  expect([1, 2].map((count) => countText(count, "entry was", "entries were"))).toEqual(["1 entry was", "2 entries were"]);
});

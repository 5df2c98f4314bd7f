import { expect, it } from "vitest";
import { cutTo, displayWidth, padTo } from "./display-width.js";

it.each([
  ["", 0],
  ["abc", 3],
  ["日本", 4],
  ["e\u0301", 1],
  ["👍", 2],
  ["한글", 4],
])("measures %j", (text, width) => expect(displayWidth(text)).toBe(width));

it.each([
  ["abcdef", 6, "abcdef"],
  ["abcdef", 5, "abcd…"],
  ["abcdef", 1, "…"],
  ["abcdef", 0, ""],
  ["日本語", 6, "日本語"],
  ["日本語", 5, "日…"],
  ["abc", Number.POSITIVE_INFINITY, "abc"],
])("cuts %j to %d", (text, columns, cut) => {
  expect(cutTo(text, columns)).toBe(cut);
  expect(displayWidth(cutTo(text, columns))).toBeLessThanOrEqual(columns);
});

it("pads by what is seen", () => {
  expect([padTo("日", 4), padTo("abc", 2)]).toEqual(["日  ", "abc"]);
});

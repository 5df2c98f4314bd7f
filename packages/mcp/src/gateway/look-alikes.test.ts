import { expect, it } from "vitest";
import { lookAlikeIn } from "./look-alikes.js";

it("finds fields that differ only in the case of their letters, as Go folds it", () => {
  const known = ["name", "arguments", "task"];
  for (const [field, like] of [
    ["Name", "name"],
    ["argument\u017f", "arguments"],
    ["tas\u212a", "task"],
  ] as const)
    expect(lookAlikeIn({ name: "read", [field]: 1 }, known)).toBe(`servers may read "${field}" as "${like}"`);
  expect(lookAlikeIn({ name: "read", _meta: {}, names: [] }, known)).toBeUndefined();
  expect(lookAlikeIn({ x: 1, X: 2 }, ["x", "X"])).toBeUndefined();
});

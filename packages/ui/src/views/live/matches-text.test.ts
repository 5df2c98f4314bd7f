import { expect, it } from "vitest";
import { matchesText } from "./matches-text.js";

it("one match is one match", () => {
  expect([0, 1, 2, 1_234].map((count) => matchesText(count, false))).toEqual(["0 matches", "1 match", "2 matches", "1,234 matches"]);
  expect(matchesText(200, true)).toBe("200 and more matches");
});

import { readFileSync } from "node:fs";
import { allSinks } from "@hookline/core/internal/sinks";
import { expect, it } from "vitest";

it.each(allSinks.map(({ type }) => type))("%s has a conformance test in its folder", (type) => {
  const file = new URL(`../../packages/core/src/sinks/${type}/conformance.test.ts`, import.meta.url);
  expect(/\bsinkConformance\(/.test(readFileSync(file, "utf8"))).toBe(true);
});

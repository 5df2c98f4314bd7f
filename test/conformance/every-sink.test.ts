import { readFileSync } from "node:fs";
import { allSinks } from "@hookline/core/internal/sinks";
import { expect, it } from "vitest";

// The code of some sinks is in a package of its own.
it.each(allSinks)("$type has a conformance test in its folder", (sink) => {
  const folder = sink.package === undefined ? `core/src/sinks/${sink.type}` : `${sink.package.replace("@hookline/", "")}/src`;
  const file = new URL(`../../packages/${folder}/conformance.test.ts`, import.meta.url);
  expect(/\bsinkConformance\(/.test(readFileSync(file, "utf8"))).toBe(true);
});

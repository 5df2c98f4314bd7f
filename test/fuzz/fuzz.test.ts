import { describe, expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";
import { targets } from "./targets.ts";

/** The short form of `npm run fuzz`: what was found before, and a few hundred mutations that are always the same. */
const RUNS = 120;

describe.skipIf(process.platform !== "linux")("generated input is read without a crash, a hang or a 5xx", () => {
  it.each(targets)("$name", async (target) => {
    const { findings } = await fuzz(target, { runs: RUNS, seed: 7 });
    expect(findings.map(({ what, input }) => `${what}: ${input.toString("utf8").slice(0, 500)}`)).toEqual([]);
  });
});

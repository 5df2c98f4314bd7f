import { beforeAll, describe, expect, it } from "vitest";
import type { Verdict } from "./judge.ts";
import { scenarios } from "./scenarios.ts";
import { detailsOf } from "./table.ts";

/** The short form of `npm run test:faults`: smaller, none that looks at the clock, and without those that take long for what they add. */
const SEED = 7;
/** It waits for the hub's own time limits, and leaves the machine to the others meanwhile. */
const PATIENT = "stalled";

/** In `npm run test:faults` alone. */
const BY_HAND: readonly string[] = [
  "hub-frozen",
  "stale-file",
  "many-hubs",
  "exit-paths",
  "sink-kills",
  "lease",
  "late-start",
  "leaks",
  "other-namespace",
];

describe.skipIf(process.platform !== "linux")("what must hold, holds when", { timeout: 180_000 }, () => {
  let patient: Promise<Verdict | Error> | undefined;
  beforeAll(() => {
    patient = scenarios[PATIENT]?.(SEED, "short").catch((error: unknown) => error as Error);
  });

  it.each(Object.keys(scenarios).filter((name) => !BY_HAND.includes(name)))("%s", async (name) => {
    const verdict = await (name === PATIENT ? patient : scenarios[name]?.(SEED, "short"));
    if (verdict === undefined || verdict instanceof Error) throw verdict ?? new Error(`There is no scenario "${name}".`);
    const { cells, voids, skipped } = verdict;
    if (skipped !== undefined) console.warn(`skipped, ${skipped}`);
    const wrong = Object.values(cells).flatMap(({ violations }) => violations);
    expect({ voids, wrong }, detailsOf(verdict).join("\n")).toEqual({ voids: [], wrong: [] });
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judge, openBus, readAllSets } from "./all-sets.js";

/** A command that is only read here, never run. */
interface Case {
  readonly command: string;
  readonly expect: "catch" | "pass";
  readonly category: string;
  /** The rule that says it catches such commands. `null`: none does. */
  readonly claims?: string | null;
  readonly technique?: string;
}

/**
 * `cases.jsonl` has commands from the tests of other projects; the others were written before the sets were tried on them, and the facts were mended
 * for some of those that failed. First measured, the two batches of `fresh-commands.jsonl` had 92.7 % and 90.6 % of all dangerous commands caught,
 * those that no rule claims included (they are left out here); false alarms were 1.0 % of the tricky ones in both, and 1 of 140 and 0 of 160 of the
 * everyday ones. A third batch, plainer than the two, was written after more programs were added: first measured, 161 of 162 dangerous ones were
 * caught, and none of 100 tricky and 50 everyday ones was a false alarm; those that other files have too are left out. With the kinds of each.
 */
const files = [
  ["cases.jsonl", ["claimed", "everyday", "tricky", "unclaimed"]],
  ["own-commands.jsonl", ["bypass", "claimed", "everyday", "tricky"]],
  ["fresh-commands.jsonl", ["claimed", "everyday", "tricky"]],
] as const;

function read(file: string): readonly Case[] {
  const lines = readFileSync(new URL(file, import.meta.url), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Case);
}

function kindOf({ expect, claims, category, technique }: Case): "bypass" | "unclaimed" | "claimed" | "tricky" | "everyday" {
  if (expect === "pass") return category === "tricky" ? "tricky" : "everyday";
  return technique === "bypass" ? "bypass" : claims === null ? "unclaimed" : "claimed";
}

const least = { claimed: 0.95, bypass: 0.75, unclaimed: 0.5, tricky: 0.98, everyday: 0.995 };

/** Where the command would run: known, as attached agents say it, or not. */
describe.each(files.flatMap(([file, kinds]) => [[file, "/home/ann/project", kinds] as const, [file, undefined, kinds] as const]))(
  "%s in the folder %s",
  (file, cwd, kinds) => {
    it("commands are caught as the sets claim, and harmless ones pass", async () => {
      const bus = openBus(await readAllSets());
      const wrong: string[] = [];
      const counts = new Map<keyof typeof least, { all: number; right: number }>();
      for (const one of read(file)) {
        const { verdict, rule } = await judge(bus, one.command, cwd);
        const count = counts.get(kindOf(one)) ?? { all: 0, right: 0 };
        const isRight = (verdict === "pass") === (one.expect === "pass");
        counts.set(kindOf(one), { all: count.all + 1, right: count.right + (isRight ? 1 : 0) });
        if (!isRight)
          wrong.push(`${one.category} ${one.expect === "pass" ? rule : (one.claims ?? "-")}: ${JSON.stringify(one.command).slice(0, 200)}`);
      }
      // A kind without a row would reach its rate.
      expect([...counts.keys()].sort()).toEqual(kinds);
      const rates = [...counts].map(([kind, { all, right }]) => [kind, right / all] as const);
      console.info(`right: ${rates.map(([kind, rate]) => `${kind} ${(rate * 100).toFixed(1)} %`).join(", ")}\n${wrong.join("\n")}`);
      for (const [kind, rate] of rates) expect([kind, rate]).toEqual([kind, expect.toSatisfy((reached: number) => reached >= least[kind])]);
    });
  },
);

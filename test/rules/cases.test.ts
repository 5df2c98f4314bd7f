import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judge, openBus, readAllSets } from "./all-sets.js";

/** A command from the tests of another project. It is only read here, never run. */
interface Case {
  readonly command: string;
  readonly expect: "catch" | "pass";
  readonly category: string;
  /** The rule that says it catches such commands. */
  readonly claims: string | null;
}

const cases = readFileSync(new URL("cases.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case);

/** Where the command would run: known, as attached agents say it, or not. */
describe.each([["/home/ann/project"], [undefined]])("collected commands in the folder %s", (cwd) => {
  it("are caught as the sets claim, and harmless ones pass", async () => {
    const bus = openBus(await readAllSets());
    const wrong: string[] = [];
    const rate = async (of: (one: Case) => boolean, expected: "catch" | "pass"): Promise<number> => {
      const chosen = cases.filter(of);
      let right = 0;
      for (const one of chosen) {
        const { verdict, rule } = await judge(bus, one.command, cwd);
        if ((verdict === "pass") === (expected === "pass")) right++;
        else
          wrong.push(`${one.category} ${expected === "pass" ? rule : (one.claims ?? "-")}: ${JSON.stringify(one.command).slice(0, 200)}`);
      }
      return right / chosen.length;
    };
    const rates = {
      claimed: await rate((one) => one.expect === "catch" && one.claims !== null, "catch"),
      unclaimed: await rate((one) => one.expect === "catch" && one.claims === null, "catch"),
      tricky: await rate((one) => one.category === "tricky", "pass"),
      everyday: await rate((one) => one.expect === "pass" && one.category !== "tricky", "pass"),
    };
    const percent = Object.entries(rates).map(([name, value]) => `${name} ${(value * 100).toFixed(1)} %`);
    console.info(`right: ${percent.join(", ")}\n${wrong.join("\n")}`);
    expect(rates.claimed).toBeGreaterThanOrEqual(0.95);
    expect(rates.tricky).toBeGreaterThanOrEqual(0.98);
    expect(rates.everyday).toBeGreaterThanOrEqual(0.995);
  });
});

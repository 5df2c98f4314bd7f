import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { judge, openBus, readAllSets } from "./all-sets.js";

/**
 * A command that was written before it was tried, in two batches. The facts were mended for those that failed, so the rates are not those of
 * commands that the facts have never seen. None of them is ever run.
 */
interface Variant {
  readonly command: string;
  readonly expect: "catch" | "pass";
  readonly category: string;
}

const variants = readFileSync(new URL("variants.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Variant);

it("dangerous commands in unusual forms are caught, and harmless ones with parts that are not known pass", async () => {
  const bus = openBus(await readAllSets());
  const wrong: string[] = [];
  const rate = async (expected: Variant["expect"]): Promise<number> => {
    const chosen = variants.filter((one) => one.expect === expected);
    let right = 0;
    for (const { command, category } of chosen) {
      const { verdict, rule } = await judge(bus, command, "/home/ann/project");
      if ((verdict === "pass") === (expected === "pass")) right++;
      else wrong.push(`${category} ${expected === "pass" ? rule : ""}: ${JSON.stringify(command).slice(0, 200)}`);
    }
    return right / chosen.length;
  };
  const [caught, passed] = [await rate("catch"), await rate("pass")];
  console.info(`caught ${(caught * 100).toFixed(1)} %, passed ${(passed * 100).toFixed(1)} %\n${wrong.join("\n")}`);
  expect(caught).toBeGreaterThanOrEqual(0.97);
  expect(passed).toBeGreaterThanOrEqual(0.98);
});

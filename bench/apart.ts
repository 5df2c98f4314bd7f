import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type MeasureOptions, measureRows, type RowResult } from "./measure.ts";
import { constantRow, constantRowName, emitterNames } from "./rows/emit-rows.ts";

/**
 * Measures the row of one name in a process of its own, where no emitter has ever seen another name or observer:
 * the compiler may inline everything, as in the benchmarks that emitters publish of themselves.
 */
export function measureApart(observers: number, options: MeasureOptions): RowResult {
  const name = constantRowName(observers);
  options.onRow?.(name);
  const parameters = [observers, options.rounds, options.sampleMs, options.warmUpMs].map(String);
  const output = execFileSync(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), ...parameters], { encoding: "utf8" });
  return { row: { name, contenders: emitterNames }, samples: new Map(JSON.parse(output) as [string, number[]][]) };
}

if (import.meta.main) {
  const [observers = 0, rounds = 1, sampleMs = 20, warmUpMs = 30] = process.argv.slice(2).map(Number);
  const [result] = await measureRows([constantRow(observers)], { rounds, sampleMs, warmUpMs });
  console.log(JSON.stringify([...(result?.samples ?? [])]));
}

import { parseArgs } from "node:util";
import { measureAllocations } from "./allocations.ts";
import { measureApart } from "./apart.ts";
import type { Group } from "./group.ts";
import { measureRows } from "./measure.ts";
import { writeBusSection } from "./page.ts";
import { type Report, toMarkdown, toText } from "./report.ts";
import { allocations } from "./rows/allocations.ts";
import { copy } from "./rows/copy.ts";
import { decide } from "./rows/decide.ts";
import { decideAsync } from "./rows/decide-async.ts";
import { noHandler } from "./rows/no-handler.ts";
import { observers } from "./rows/observers.ts";
import { rules } from "./rows/rules.ts";
import { sets } from "./rows/sets.ts";
import { timeout } from "./rows/timeout.ts";
import { wildcard } from "./rows/wildcard.ts";
import { judge, judgeAllocation } from "./targets.ts";

// `node --expose-gc bench/run.ts [--quick] [--rounds 15] [--only <group>] [--write]`
const groups: ReadonlyMap<string, () => Group | Promise<Group>> = new Map<string, () => Group | Promise<Group>>([
  ["no-handler", noHandler],
  ["observers", observers],
  ["wildcard", wildcard],
  ["decide", decide],
  ["copy", copy],
  ["decide-async", decideAsync],
  ["rules", rules],
  ["sets", sets],
  ["timeout", timeout],
  ["allocations", allocations],
]);

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
  },
});
if (options.write && options.only.length > 0) throw new Error("--write needs every group: leave out --only.");

const report = await run(await chosenGroups(options.only), { rounds: roundsFrom(options.rounds), isQuick: options.quick });
console.log(toText(report));
if (options.write) writeBusSection(toMarkdown(report));

async function run(chosen: readonly Group[], { rounds, isQuick }: { rounds: number; isQuick: boolean }): Promise<Report> {
  const settings = { rounds, sampleMs: isQuick ? 20 : 40, warmUpMs: isQuick ? 30 : 150, onRow: progress };
  const all = <T>(list: (group: Group) => readonly T[] | undefined): T[] => chosen.flatMap((group) => list(group) ?? []);
  const results = [
    ...(await measureRows(
      all(({ rows }) => rows),
      settings,
    )),
    ...all(({ apart }) => apart).map((observers) => measureApart(observers, settings)),
  ];
  const allocated = all(({ allocationRows }) => allocationRows).map((row) => measureAllocations(row, settings.warmUpMs));
  const judgements = [
    ...all(({ targets }) => targets).map((target) => judge(target, results)),
    ...all(({ allocationTargets }) => allocationTargets).map((target) => judgeAllocation(target, allocated)),
  ];
  return { rounds, results, allocations: allocated, judgements };
}

function chosenGroups(only: readonly string[]): Promise<Group[]> {
  const unknown = only.find((name) => !groups.has(name));
  if (unknown !== undefined) throw new Error(`No group "${unknown}". There are: ${[...groups.keys()].join(", ")}.`);
  return Promise.all([...groups].filter(([name]) => only.length === 0 || only.includes(name)).map(([, open]) => open()));
}

function roundsFrom(text: string | undefined): number {
  if (text === undefined) return options.quick ? 5 : 15;
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds takes a number of 1 or more, not "${text}".`);
  return rounds;
}

function progress(row: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${row}`);
}

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Finding } from "../line/measurement.ts";
import { toText } from "../line/report.ts";
import { writePageSection } from "../page.ts";
import { machine } from "../report.ts";
import { firstView } from "./first-view.ts";
import { flood } from "./flood.ts";
import { memory } from "./memory.ts";
import { toMarkdown } from "./report.ts";
import { openStage, type Stage } from "./stage.ts";
import { timeline } from "./timeline.ts";
import { weight } from "./weight.ts";

// `node bench/ui/run.ts [--only weight|first|flood|timeline|memory] [--events <n>] [--seconds <n>] [--write]`
const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    events: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "60" },
    write: { type: "boolean", default: false },
  },
});
const [events, seconds] = [Number(options.events), Number(options.seconds)];
if (options.write && options.only.length > 0) throw new Error("--write needs every measurement: leave out --only.");
// Whatever hangs, the processes it started are ended.
setTimeout(() => fail("The bench took more than 12 minutes."), 12 * 60_000).unref();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => fail(`Ended by ${signal}.`));

const begun = performance.now();
const say = (progress: string): void =>
  void process.stderr.write(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s, load ${loadText()}: ${progress}\n`);
const loads = [loadText()];
const stage = await openStage(events, say);
const findings: Finding[] = [];
try {
  for (const [name, measure] of Object.entries(measurements(stage)))
    if (options.only.length === 0 || options.only.includes(name)) findings.push(...(await measure()));
} finally {
  await stage.close();
}
loads.push(loadText());
const where = `${machine()} The machine's load was ${loads.join(" before and ")} after, on its cores above.`;
console.log(`${where}\n\n${toText(findings)}`);
if (options.write) writePageSection(toMarkdown(findings, where));

function measurements(on: Stage): { readonly [name: string]: () => Promise<Finding[]> } {
  return {
    weight: async () => weight(),
    first: () => {
      say("first views");
      return firstView(on, events);
    },
    timeline: () => timeline(on, say),
    flood: () => flood(on, seconds, say),
    memory: () => memory(on, events, say),
  };
}

function loadText(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

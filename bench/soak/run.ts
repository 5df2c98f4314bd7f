import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { HubMethods } from "../line/processes/hub.ts";
import type { PublisherMethods } from "../line/processes/publisher.ts";
import type { WatchersMethods } from "../line/processes/watchers.ts";
import { openSandbox } from "../line/sandbox.ts";
import { machine } from "../report.ts";
import { drawChart } from "./chart.ts";
import { type Sample, trendOf } from "./sample.ts";

// `npm run soak -- [--minutes 30] [--rate 2000] [--limit 500] [--out <file without ending>]`: a hub under a steady load, with retention at work.
const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "2000" },
    /** Megabytes that the store may have. */
    limit: { type: "string", default: "500" },
    out: { type: "string", default: "node_modules/.cache/soak" },
  },
});
const [minutes, rate, limit] = [options.minutes, options.rate, options.limit].map(Number) as [number, number, number];
if (![minutes, rate, limit].every((number) => number > 0)) throw new Error("--minutes, --rate and --limit take numbers above 0.");

const SLICE_SECONDS = 10;
const PAGE_BYTES = 4_096;
const sandbox = openSandbox();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

const samples: Sample[] = [];
let readersLost = 0;
try {
  sandbox.configure({ "hookline.toml": `[retention]\nmaxBytes = "${limit}MB"\n` });
  const hub = await sandbox.start<HubMethods>("hub");
  const publisher = await sandbox.start<PublisherMethods>("publisher");
  const watchers = await sandbox.start<WatchersMethods>("watchers");
  const { file, operator } = await hub.ask("info");
  await publisher.ask("attached");
  await watchers.ask("open", 1, file.url, operator);
  const store = join(sandbox.folder, "state", "hookline", "events.db");
  const start = performance.now();
  while (performance.now() - start < minutes * 60_000) {
    await watchers.ask("reset");
    const begun = performance.now();
    const { acked } = await publisher.ask("counters");
    const sent = await publisher.ask("pace", rate, SLICE_SECONDS);
    const done = (await publisher.ask("counters")).acked - acked;
    const seconds = (performance.now() - begun) / 1_000;
    const { p99s, open } = await watchers.ask("result", sent);
    const { unindexed } = await hub.ask("stats");
    const sample: Sample = {
      minute: (performance.now() - start) / 60_000,
      rssMb: (Number(readFileSync(`/proc/${hub.pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES) / 1e6,
      descriptors: readdirSync(`/proc/${hub.pid}/fd`).length,
      lagMs: p99s.at(-1) ?? Number.NaN,
      unindexed,
      storeMb: [store, `${store}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0) / 1e6,
      perSecond: done / seconds,
    };
    samples.push(sample);
    process.stderr.write(`${lineOf(sample)}\n`);
    save();
    if (open > 0) continue;
    // The hub lets go of a reader that does not keep up.
    readersLost++;
    await watchers.ask("open", 1, file.url, operator);
  }
} finally {
  await sandbox.close();
}
save();
console.log(`${machine()}\n\n${report()}`);

function lineOf({ minute, rssMb, descriptors, lagMs, unindexed, storeMb, perSecond }: Sample): string {
  return `${minute.toFixed(1)} min: ${rssMb.toFixed(0)} MB, ${descriptors} descriptors, ${lagMs} ms behind, ${unindexed} unindexed, store ${storeMb.toFixed(0)} MB, ${perSecond.toFixed(0)}/s`;
}

/** Also while it goes on: a soak that is interrupted leaves what it saw. */
function save(): void {
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(`${options.out}.json`, `${JSON.stringify(samples, undefined, 1)}\n`);
  writeFileSync(`${options.out}.svg`, drawChart(samples, `${rate.toLocaleString("en")} events a second, store limited to ${limit} MB`));
}

function report(): string {
  const rows = [
    ["memory of the hub, MB", trendOf(samples, ({ rssMb }) => rssMb)],
    ["descriptors", trendOf(samples, ({ descriptors }) => descriptors)],
    ["stream behind, p99, ms", trendOf(samples, ({ lagMs }) => lagMs)],
    ["events not yet searchable", trendOf(samples, ({ unindexed }) => unindexed)],
    ["files of the store, MB", trendOf(samples, ({ storeMb }) => storeMb)],
    ["events acknowledged a second", trendOf(samples, ({ perSecond }) => perSecond)],
  ] as const;
  const most = Math.max(...samples.map(({ storeMb }) => storeMb));
  return [
    `| | second third | last third |\n| --- | --- | --- |`,
    ...rows.map(([name, { early, late }]) => `| ${name} | ${early.toFixed(0)} | ${late.toFixed(0)} |`),
    `\nLargest store: ${(most / limit).toFixed(2)}× its limit. Readers let go: ${readersLost}.`,
  ].join("\n");
}

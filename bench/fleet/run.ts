// npm run bench:fleet -- [--only confirmed,decision,question,hosts] [--events <count>] [--hosts <count>] [--rounds <count>]
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { getNatsServer } from "../../scripts/nats-server.ts";
import { machine } from "../report.ts";
import { alignedTable } from "../table.ts";
import { confirmed } from "./confirmed.ts";
import { decision } from "./decision.ts";
import { manyHosts } from "./many-hosts.ts";
import type { Measurement, Row } from "./measurement.ts";
import { question } from "./question.ts";

const measurements: { readonly [name: string]: Measurement } = { confirmed, decision, question, hosts: manyHosts };
const { values } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(measurements).join(",") },
    // Joining takes a tenth of a second, whatever follows: with few events, it would be most of what is measured.
    events: { type: "string", default: "100000" },
    hosts: { type: "string", default: "1000" },
    rounds: { type: "string", default: "9" },
  },
});
const server = getNatsServer();
if ("missing" in server) {
  console.error(`The fleet is not measured: ${server.missing}.`);
  process.exit(0);
}
setTimeout(() => fail("The bench took more than 20 minutes."), 20 * 60_000).unref();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => fail(`Ended by ${signal}.`));

const { program } = server;
const [events, hosts, rounds] = [Number(values.events), Number(values.hosts), Number(values.rounds)];
const rows: Row[] = [];
const load = (): string => loadavg()[0]?.toFixed(1) ?? "?";
const before = load();
for (const name of values.only.split(",")) {
  const measure = measurements[name] ?? fail(`There is no measurement "${name}". There are: ${Object.keys(measurements).join(", ")}.`);
  process.stderr.write(`${name} …\n`);
  rows.push(...(await measure({ program, events, hosts, rounds })));
}
console.log(
  `${machine()} Load ${before} before, ${load()} after.\n\n${alignedTable({ head: ["what", "measured", "wanted"], firstNumber: 3, rows })}`,
);
process.exit(0);

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

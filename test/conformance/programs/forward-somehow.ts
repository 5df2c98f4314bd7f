// Emits events on a bus with a line to the hub and ends in the given way: forward-somehow.ts <state folder> <way> <events> <options as JSON>
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createBus } from "@hookline/core";
import { connectToHub, type ForwardOptions } from "@hookline/core/forward";

const [folder = "", way = "", events = "", options = "{}"] = process.argv.slice(2);
const signal = (name: NodeJS.Signals) => () => void process.kill(process.pid, name);

const bus = createBus({ source: "ending" });
const line = connectToHub(bus, { folder, ...(JSON.parse(options) as ForwardOptions) });

const ways: { readonly [way: string]: () => unknown } = {
  natural: () => {},
  exit: () => process.exit(7),
  uncaught: () => {
    throw new Error("nobody catches this");
  },
  rejection: () => void Promise.reject(new Error("nobody catches this either")),
  SIGTERM: signal("SIGTERM"),
  SIGINT: signal("SIGINT"),
  SIGHUP: signal("SIGHUP"),
  SIGKILL: signal("SIGKILL"),
  handled: () => {
    process.on("SIGTERM", () => {
      bus.emit("myapp:late", { index: -2 });
      setTimeout(() => process.exit(3), 20);
    });
    process.kill(process.pid, "SIGTERM");
    return sleep(5_000);
  },
  closed: () => line.close(),
};

// The same program once more in a thread, where there are no signals.
if (way === "worker") new Worker(fileURLToPath(import.meta.url), { argv: [folder, "exit", events, options] });
else await forward();

async function forward(): Promise<void> {
  process.on("exit", () => bus.emit("myapp:late", { index: -1 }));
  for (let index = 0; index < Number(events) / 2; index++) bus.emit("myapp:counted", { index });
  // Some are on their way by now, some are not.
  await sleep(20);
  for (let index = Number(events) / 2; index < Number(events); index++) bus.emit("myapp:counted", { index });
  writeSync(1, JSON.stringify({ instance: bus.source.instance, ...line.counters }));
  await ways[way]?.();
}

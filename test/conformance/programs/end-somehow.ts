// Emits events on a bus with a jsonl sink and ends in the given way: end-somehow.ts <path> <way> <events> <connection options as JSON>
import { writeSync } from "node:fs";
import { createBus } from "@hookline/core";
import { type ConnectSinkOptions, connectSink, createJsonlSink } from "@hookline/core/sinks";

const [path = "", way = "", events = "", options = "{}"] = process.argv.slice(2);
const bus = createBus({ source: "ending" });
const connection = connectSink(bus, createJsonlSink({ path }), JSON.parse(options) as ConnectSinkOptions);

const ways: { readonly [way: string]: () => void } = {
  exit: () => process.exit(7),
  uncaught: () => {
    throw new Error("nobody catches this");
  },
  rejection: () => void Promise.reject(new Error("nobody catches this either")),
  SIGTERM: () => {
    process.kill(process.pid, "SIGTERM");
    // A signal that is listened for comes with the next turn of the loop, and there has to be one.
    setTimeout(() => {}, 60_000);
  },
  SIGKILL: () => void process.kill(process.pid, "SIGKILL"),
  abort: () => process.abort(),
  natural: () => {},
};

process.on("exit", () => bus.emit("myapp:late", { index: -1 }));
for (let index = 0; index < Number(events) / 2; index++) bus.emit("myapp:counted", { index });
// Some are on their way by now, some are not.
await new Promise((resolve) => setImmediate(resolve));
await new Promise((resolve) => setImmediate(resolve));
for (let index = Number(events) / 2; index < Number(events); index++) bus.emit("myapp:counted", { index });
writeSync(1, JSON.stringify(connection.counters));
ways[way]?.();

// Attaches, waits for a word on stdin, emits and ends in the given way: ending.ts <EndingSettings as JSON>
import { writeSync } from "node:fs";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { sendingAt } from "../oracle.ts";

const { name, seed, count, way } = JSON.parse(process.argv[2] as string) as { name: string; seed: number; count: number; way: string };
const ways: { readonly [way: string]: () => void } = {
  exit: () => process.exit(7),
  uncaught: () => {
    throw new Error("nobody catches this");
  },
  rejection: () => void Promise.reject(new Error("nobody catches this either")),
  SIGTERM: () => die("SIGTERM"),
  SIGINT: () => die("SIGINT"),
  natural: () => {},
};
const bus = createBus({ source: name, onError: () => {} });
const line = connectToHub(bus, { gates: false });
let emitted = 0;

/** Of a process that would have gone on: one that is about to end anyway may end before the signal is heard. */
function die(signal: NodeJS.Signals): void {
  setTimeout(() => {}, 60_000);
  process.kill(process.pid, signal);
}

function emitSome(most: number): void {
  for (; emitted < most; emitted++) {
    const { event, payload } = sendingAt(name, seed, emitted);
    bus.emit(event, payload as never);
  }
}

while (line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 5));
writeSync(1, "attached\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.destroy();
emitSome(count / 2);
// Some are on their way by now, some are not.
await new Promise((resolve) => setImmediate(resolve));
await new Promise((resolve) => setImmediate(resolve));
emitSome(count);
ways[way]?.();

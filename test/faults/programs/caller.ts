// Asks before each call, as an agent does, and notes what was let through: caller.ts <CallerSettings as JSON>
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { CallerSettings } from "../processes.ts";
import { answerWith, sayReady } from "./answers.ts";

const { first, timeoutMs = 400 } = JSON.parse(process.argv[2] ?? "{}") as CallerSettings;
const reports: string[] = [];
const bus = createBus({ source: "caller", onError: ({ code }) => void reports.push(code) });
// Only decisions are looked at: what is stored is for publishers to say.
const line = connectToHub(bus, { gates: { timeoutMs }, events: "caller:none" });
const allowed: string[] = [];
const denied: { [cause: string]: number } = {};
let asked = 0;
let isStopped = false;

function decide(number: number, command: string) {
  return bus.decide("tool:before", { session: { id: "s" }, tool: { name: "bash", callId: `c${number}`, input: { command } } });
}

async function call(): Promise<void> {
  const number = ++asked;
  const command = `${number % 4 === 0 ? "forbidden" : "fine"} ${number}`;
  const decision = await decide(number, command);
  if (decision.allowed) allowed.push(command);
  else note(decision.cause?.failure ?? "rule");
}

function note(cause: string): void {
  denied[cause] = (denied[cause] ?? 0) + 1;
}

async function callOn(): Promise<void> {
  while (!isStopped) {
    await call();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

let workers: Promise<unknown> = Promise.resolve();
answerWith({
  go() {
    workers = Promise.all(Array.from({ length: 8 }, callOn));
  },
  counts: () => ({ asked, allowed: allowed.length, denied }),
  async call({ command }: { command: string }) {
    const { verdict, reason } = await decide(0, command);
    return { verdict, reason, reports };
  },
  async stop() {
    isStopped = true;
    await workers;
    return { asked, allowed, denied };
  },
});
if (first !== undefined) {
  // Before anything else happens in this process.
  const { verdict, reason } = await decide(0, first);
  sayReady({ verdict, reason, reports });
} else {
  while (line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 5));
  sayReady();
}

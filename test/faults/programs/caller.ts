// Asks before each call, as an agent does, and notes what was let through.
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { answerWith, sayReady } from "./answers.ts";

const bus = createBus({ source: "caller", onError: () => {} });
const line = connectToHub(bus, { gates: { timeoutMs: 400 } });
const allowed: string[] = [];
const denied: { [cause: string]: number } = {};
let asked = 0;
let isStopped = false;

async function call(): Promise<void> {
  const number = ++asked;
  const command = `${number % 4 === 0 ? "forbidden" : "fine"} ${number}`;
  const decision = await bus.decide("tool:before", {
    session: { id: "s" },
    tool: { name: "bash", callId: `c${number}`, input: { command } },
  });
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
  async stop() {
    isStopped = true;
    await workers;
    return { asked, allowed, denied };
  },
});
while (line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 5));
sayReady();

// Decides about calls without a pause, and notes when each began and how it was decided: passer.ts {}
import { createBus, type Decision } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { answerWith, sayReady } from "./answers.ts";

const bus = createBus({ source: "passer", onError: () => {} });
const line = connectToHub(bus, { gates: { timeoutMs: 400 }, events: "passer:none" });
let tool = "";
/** Of the calls of the tool in use. */
let [local, asked, denied] = [0, 0, 0];
/** When the last call began that passed without the hub, and the last that passed at all: in nanoseconds of the clock that all processes share. */
let [lastLocal, lastPassed] = [0n, 0n];

async function callOn(): Promise<never> {
  for (let number = 1; ; number++) {
    const begun = process.hrtime.bigint();
    const used = tool;
    const decision = await bus.decide("tool:before", { session: { id: "s" }, tool: { name: used, input: { query: `q${number}` } } });
    if (used === tool) note(begun, decision);
    if (number % 50 === 0 || !decision.allowed) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function note(begun: bigint, { allowed, trail }: Decision): void {
  const isLocal = trail.some(({ actor }) => actor.kind === "policy" && actor.name === "prefilter");
  if (isLocal) local++;
  else asked++;
  if (!allowed) denied++;
  else {
    lastPassed = begun;
    if (isLocal) lastLocal = begun;
  }
}

answerWith({
  use({ name }: { name: string }) {
    tool = name;
    [local, asked, denied] = [0, 0, 0];
    [lastLocal, lastPassed] = [0n, 0n];
  },
  counts: () => ({ local, asked, denied, lastLocal: String(lastLocal), lastPassed: String(lastPassed) }),
  go: () => void callOn(),
});
while (line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 5));
sayReady();

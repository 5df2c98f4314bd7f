import * as core from "@hookline/core";
import * as remind from "@hookline/core/remind";
import { type Facts, scenarios } from "../package/scenarios.ts";

// Made while the module loads, as most agents do: a worker allows no random numbers, timers or requests before its first request.
const early = core.createBus({ source: "early" });
early.on("tool:before", () => core.block("made early"), { name: "early" });

/** What each scenario gives in this runtime, and what the runtime offers. */
export async function collectFacts(): Promise<Facts> {
  const outcomes: { [name: string]: unknown } = {};
  for (const [name, run] of scenarios) outcomes[name] = await run(core, remind).catch((error: unknown) => String(error));
  const { verdict, by } = await early.decide("tool:before", { tool: { name: "bash", input: {} } });
  return { outcomes, early: `${verdict} by ${by}`, hasProcess: "process" in globalThis };
}

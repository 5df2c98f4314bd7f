import type { EnvelopeSource } from "@hookline/core/sinks";
import { agents, findAgent } from "../../agents/agents.js";
import { skeletonOf } from "./own-source.js";

const agentSkeletons = new Set(agents.map(({ id }) => skeletonOf(id)));
let lastOther = "";

/** Whether a program calls itself like an agent that Hookline attaches: its events come from its hooks, which the hub itself reports. */
export function isAgentName({ app, instance }: Pick<EnvelopeSource, "app" | "instance">): boolean {
  if (findAgent(instance) !== undefined) return true;
  // The same few come again and again.
  if (app === lastOther) return false;
  if (agentSkeletons.has(skeletonOf(app))) return true;
  lastOther = app;
  return false;
}

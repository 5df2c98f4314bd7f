import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import { agents, findAgent } from "../../agents/agents.js";
import { HUB_APP, skeletonOf } from "./own-source.js";

const agentSkeletons = new Set(agents.flatMap(({ id, title }) => [skeletonOf(id), skeletonOf(title)]));
/** In so short a name a digit is a digit: "p1" is the first of several processes, and not "pi". */
const SHORT_NAME = 2;
let lastOther = "";

/** Whether a program calls itself like an agent that Hookline attaches: its events come from its hooks, which the hub itself reports. */
export function isAgentName({ app, instance }: Pick<EnvelopeSource, "app" | "instance">): boolean {
  if (findAgent(instance) !== undefined) return true;
  // The same few come again and again.
  if (app === lastOther) return false;
  if (looksLikeAgent(app)) return true;
  lastOther = app;
  return false;
}

function looksLikeAgent(app: string): boolean {
  const skeleton = skeletonOf(app);
  return agentSkeletons.has(skeleton) && !(skeleton.length <= SHORT_NAME && /\d/.test(app));
}

/**
 * Whether an event's decision, or its answer, is only what a process says. A process reports its own decisions; that a person, the hub or the policy made one is
 * its claim, and their own record is an event of the hub. So is an answer to an approval, whatever it says of who gave it.
 */
export function isClaim({ event, source, decision }: Pick<Envelope, "event" | "source" | "decision">): boolean {
  const kinds = [decision?.actor, ...(decision?.trail ?? []).map(({ actor }) => actor)].map((actor) => actor?.kind);
  const isOfHub = source.app === HUB_APP || isAgentName(source);
  return !isOfHub && (event === "permission:replied" || kinds.some((kind) => kind === "person" || kind === "hub" || kind === "policy"));
}

import type { HandlerRow, PlacedEvent } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { isOfHub, type Registered, type Step } from "./unmatched.js";

const NONE: Registered = { inHub: [], inProcess: [] };

/** Asks only for what the trail's `no-match` steps need. A process that has gone cannot say any more. */
export async function loadRegistered({ decision, source }: PlacedEvent): Promise<Registered> {
  const unmatched = (decision?.trail ?? []).filter(({ action }) => action === "no-match");
  if (unmatched.length === 0) return NONE;
  const isInHub = (step: Step) => isOfHub(step, source);
  return {
    inHub: unmatched.some(isInHub) ? (await hub.handlers()).handlers : [],
    inProcess: unmatched.every(isInHub) ? [] : await handlersIn(source.instance),
  };
}

async function handlersIn(instance: string): Promise<readonly HandlerRow[]> {
  const { sources } = await hub.sources();
  if (!sources.some(({ source }) => source.instance === instance)) return [];
  return (await hub.handlersOf(instance)).handlers;
}

import type { DecisionStep, DecisionSummary, EnvelopeSource } from "@hookline/core/sinks";
import { believable } from "./gate-trail.js";
import { bucketOf, FIRST_BUCKET } from "./histogram.js";

const MAX_NAME = 200;

/** What a step counts as, besides a call; `hub`: it is that of a guard of the hub's. */
export const STEP = { denied: 1, asked: 2, failed: 4, hub: 8 } as const;

/** In a trail, but never called. */
const NOT_CALLED = new Set(["no-match", "not-reached", "suspended", "paused"]);

/**
 * The calls in a decision's trail as one text, which costs nothing to hand to another thread, where four objects take 3 µs. Each is four
 * characters that are numbers (what it counts as, its time, the lengths of the names), the owner and the name.
 */
export function packSteps(decision: DecisionSummary, { pid }: EnvelopeSource): string | null {
  let text = "";
  for (const step of decision.trail ?? []) {
    if (NOT_CALLED.has(step.action)) continue;
    const owner = storedName(step.owner ?? "");
    const handler = storedName(step.handler);
    // Without a process it is an agent's, whose calls only the hub decides.
    const place = step.at === "hub" || pid === 0 ? STEP.hub : 0;
    text +=
      String.fromCharCode(place + countsAs(step, decision), packTime(step.durationMs), owner.length, handler.length) + owner + handler;
  }
  return text === "" ? null : text;
}

/** One packed step: `who` is its names, for `readWho`. */
export type PackedStep = (who: string, flags: number, bucket: number | undefined) => void;

export function eachStep(packed: string, visit: PackedStep): void {
  for (let start = 0; start < packed.length; ) {
    const end = start + 4 + packed.charCodeAt(start + 2) + packed.charCodeAt(start + 3);
    visit(packed.slice(start + 2, end), packed.charCodeAt(start), unpackTime(packed.charCodeAt(start + 1)));
    start = end;
  }
}

export function readWho(who: string): { readonly owner: string; readonly handler: string } {
  const middle = 2 + who.charCodeAt(0);
  return { owner: who.slice(2, middle), handler: who.slice(middle) };
}

export function packWho(owner: string, handler: string): string {
  return String.fromCharCode(owner.length, handler.length) + owner + handler;
}

/** A name as it stands in the store. */
export function storedName(name: string): string {
  return name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
}

function packTime(ms: number | undefined): number {
  return ms === undefined ? 0 : bucketOf(believable(ms)) - FIRST_BUCKET + 1;
}

function unpackTime(packed: number): number | undefined {
  return packed === 0 ? undefined : packed + FIRST_BUCKET - 1;
}

function countsAs({ handler, action, failure }: DecisionStep, { verdict, by }: DecisionSummary): number {
  if (action === "pass") return 0;
  if (action === "ask") return STEP.asked;
  const isFailed = action === "failed" || failure !== undefined;
  // A guard that fails closed denies by failing.
  const isDenied = action === "deny" || (isFailed && verdict === "deny" && by === handler);
  return (isFailed ? STEP.failed : 0) + (isDenied ? STEP.denied : 0);
}

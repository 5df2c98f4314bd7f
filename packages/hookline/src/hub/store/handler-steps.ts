import type { Actor } from "@hookline/core";
import { bucketOf, FIRST_BUCKET } from "@hookline/core/internal/text";
import type { DecisionStep, DecisionSummary } from "@hookline/core/sinks";
import { believable } from "./gate-trail.js";

const MAX_NAME = 200;

/** What a step counts as, besides a call; `hub`: it is that of a guard of the hub's. */
export const STEP = { denied: 1, asked: 2, failed: 4, hub: 8 } as const;

/** In a trail, but never called. */
const NOT_CALLED = new Set(["no-match", "not-reached", "suspended", "paused"]);
/** Their steps are answers of people, not calls of handlers. */
const NO_HANDLERS: ReadonlySet<string> = new Set(["person", "policy"]);

/**
 * The calls in a decision's trail as one text, which costs nothing to hand to another thread, where four objects take 3 µs. Each is four
 * characters that are numbers (what it counts as, its time, the lengths of the names), the owner and the name.
 */
export function packSteps(decision: DecisionSummary): string | null {
  let text = "";
  for (const step of decision.trail ?? []) {
    const { actor } = step;
    if (NOT_CALLED.has(step.action) || NO_HANDLERS.has(actor.kind)) continue;
    const owner = storedName(actor.owner ?? "");
    const handler = storedName(actor.name);
    const place = actor.at === "hub" ? STEP.hub : 0;
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

function countsAs({ actor, action, failure }: DecisionStep, { verdict, by, actor: decider }: DecisionSummary): number {
  if (action === "pass") return 0;
  if (action === "ask") return STEP.asked;
  const isFailed = action === "failed" || failure !== undefined;
  // A guard that fails closed denies by failing.
  const isDenied =
    action === "deny" || (isFailed && verdict === "deny" && (decider === undefined ? by === actor.name : isSame(decider, actor)));
  return (isFailed ? STEP.failed : 0) + (isDenied ? STEP.denied : 0);
}

function isSame(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && a.name === b.name && a.owner === b.owner && a.at === b.at;
}

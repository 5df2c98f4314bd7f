import { hostname } from "node:os";
import type { Decision, HookEvent, TrailStep } from "../bus/types.js";
import type { Actor } from "../catalog/actor.js";
import { type DecisionStep, type DecisionSummary, type Envelope, MAX_TRAIL } from "../catalog/envelope.js";

/**
 * An event as it leaves the process: `bus.tap({ dispatched: (event, { decision }) => sink.send([envelopeOf(event, decision)], signal) })`.
 * `asked`: the payload before it was rewritten, if it was; the event has it no more.
 */
export function envelopeOf(event: HookEvent, decision?: Decision, asked?: unknown): Envelope {
  const { app, host = thisHost(), pid = process.pid, instance = "" } = event.bus.source;
  return {
    v: 2,
    id: event.id,
    seq: 0,
    at: new Date(event.at).toISOString(),
    event: event.name,
    source: { app, host, pid, instance },
    ...(event.session !== undefined && { session: event.session }),
    payload: decision?.payload ?? event.payload,
    ...(decision !== undefined && { decision: summaryOf(decision, asked) }),
    hops: [],
  };
}

let knownHost: string | undefined;

// Asking the system each time costs 1 µs an event.
export function thisHost(): string {
  knownHost ??= hostname();
  return knownHost;
}

/** `asked`: what it was about at first; left out where nothing was rewritten. `at`: where it was decided, if not in the process of the event. */
export function summaryOf(decision: Decision, asked?: unknown, at?: string): DecisionSummary {
  const { verdict, reason, by, actor, cause, modified, endLoop, trail } = decision;
  return {
    verdict,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(actor !== undefined && { actor: actorAt(actor, at) }),
    ...(cause !== undefined && { cause: cause.code }),
    modified,
    endLoop,
    ...(trail.length > 0 && { trail: stepsOf(trail, at) }),
    ...(modified && asked !== undefined && { asked }),
  };
}

/** A trail as it is recorded. */
export function stepsOf(trail: readonly TrailStep[], at?: string): readonly DecisionStep[] {
  return trail.slice(0, MAX_TRAIL).map((step) => stepOf(step, at));
}

function actorAt(actor: Actor, at: string | undefined): Actor {
  return at === undefined || actor.at !== undefined ? actor : { ...actor, at };
}

const MAX_REASON = 500;

function stepOf({ actor, stage, round, action, reason, failure, durationMs }: TrailStep, at: string | undefined): DecisionStep {
  return {
    actor: actorAt(actor, at),
    stage,
    round,
    action,
    ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON) }),
    ...(failure !== undefined && { failure }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

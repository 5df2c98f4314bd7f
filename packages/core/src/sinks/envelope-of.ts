import { hostname } from "node:os";
import type { Decision, HookEvent, TrailStep } from "../bus/types.js";
import { type DecisionStep, type DecisionSummary, type Envelope, MAX_TRAIL } from "../catalog/envelope.js";

/**
 * An event as it leaves the process: `bus.tap({ dispatched: (event, { decision }) => sink.send([envelopeOf(event, decision)], signal) })`.
 * `asked`: the payload before it was rewritten, if it was; the event has it no more.
 */
export function envelopeOf(event: HookEvent, decision?: Decision, asked?: unknown): Envelope {
  const { app, host = thisHost(), pid = process.pid, instance = "" } = event.bus.source;
  return {
    v: 1,
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

/** `asked`: what it was about at first; left out where nothing was rewritten. */
export function summaryOf(decision: Decision, asked?: unknown): DecisionSummary {
  const { verdict, reason, by, cause, modified, endLoop, trail } = decision;
  return {
    verdict,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(cause !== undefined && { cause: cause.code }),
    modified,
    endLoop,
    ...(trail.length > 0 && { trail: stepsOf(trail) }),
    ...(modified && asked !== undefined && { asked }),
  };
}

/** A trail as it is recorded. */
export function stepsOf(trail: readonly TrailStep[]): readonly DecisionStep[] {
  return trail.slice(0, MAX_TRAIL).map(stepOf);
}

const MAX_REASON = 500;

function stepOf({ handler, owner, stage, round, action, reason, failure, durationMs }: TrailStep): DecisionStep {
  return {
    handler,
    ...(owner !== undefined && { owner }),
    stage,
    round,
    action,
    ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON) }),
    ...(failure !== undefined && { failure }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

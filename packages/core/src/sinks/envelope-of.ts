import { hostname } from "node:os";
import type { Decision, HookEvent } from "../bus/types.js";
import type { DecisionSummary, Envelope } from "../catalog/envelope.js";

/** An event as it leaves the process: `bus.tap({ dispatched: (event, { decision }) => sink.send([envelopeOf(event, decision)], signal) })`. */
export function envelopeOf(event: HookEvent, decision?: Decision): Envelope {
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
    ...(decision !== undefined && { decision: summaryOf(decision) }),
    hops: [],
  };
}

let knownHost: string | undefined;

// Asking the system each time costs 1 µs an event.
function thisHost(): string {
  knownHost ??= hostname();
  return knownHost;
}

function summaryOf({ verdict, reason, by, cause, modified, endLoop }: Decision): DecisionSummary {
  return {
    verdict,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(cause !== undefined && { cause: cause.code }),
    modified,
    endLoop,
  };
}

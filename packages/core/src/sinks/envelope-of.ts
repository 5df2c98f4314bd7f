import { hostname } from "node:os";
import type { Decision, HookEvent } from "../bus/types.js";
import { createEnvelope, type Envelope } from "../catalog/envelope.js";
import { summaryOf } from "../wire/decision-summary.js";

/**
 * An event as it leaves the process: `bus.tap({ dispatched: (event, { decision }) => sink.send([envelopeOf(event, decision)], signal) })`.
 * `asked`: the payload before it was rewritten, if it was; the event has it no more.
 */
export function envelopeOf(event: HookEvent, decision?: Decision, asked?: unknown): Envelope {
  const { app, host = thisHost(), pid = process.pid, instance = "" } = event.bus.source;
  return createEnvelope({
    id: event.id,
    at: new Date(event.at).toISOString(),
    event: event.name,
    source: { app, host, pid, instance },
    session: event.session,
    payload: decision?.payload ?? event.payload,
    decision: decision === undefined ? undefined : summaryOf(decision, asked),
  });
}

let knownHost: string | undefined;

// Asking the system each time costs 1 µs an event.
export function thisHost(): string {
  knownHost ??= hostname();
  return knownHost;
}

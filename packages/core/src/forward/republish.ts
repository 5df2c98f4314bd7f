import type { Bus } from "../bus/bus.js";
import type { Effects } from "../bus/types.js";
import type { Envelope } from "../catalog/envelope.js";

/**
 * Tells a bus of an event that came from elsewhere, and gives what its observers leave for the model. The payload says so in `_forwarded` and
 * `_forwarded_from`, whatever it said before; one that is not an object becomes `{ value, … }`. A forwarder on this bus knows which instances
 * the event has passed and never sends it back to one of them. `isDecided`: the guards on this bus were asked about it before.
 */
export function republish(bus: Pick<Bus, "tellObservers">, envelope: Envelope, isDecided = false): Effects | Promise<Effects> {
  const { payload, source, hops } = envelope;
  const stamped = { ...asObject(payload), _forwarded: true, _forwarded_from: source.app };
  rememberHops(stamped, [...new Set([source.instance, ...hops])]);
  return bus.tellObservers(envelope.event, stamped, isDecided);
}

function asObject(payload: unknown): object {
  return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : { value: payload };
}

const passed = new WeakMap<object, readonly string[]>();
let isUsed = false;

/** Remembers which instances a republished payload has passed. By the object and not by what it says, because a payload could claim anything. */
function rememberHops(payload: object, hops: readonly string[]): void {
  isUsed = true;
  passed.set(payload, hops);
}

/** The instances a payload has passed, for a republished one. */
export function hopsOf(payload: unknown): readonly string[] | undefined {
  // Most processes republish nothing, and need not look each event up.
  return isUsed && typeof payload === "object" && payload !== null ? passed.get(payload) : undefined;
}

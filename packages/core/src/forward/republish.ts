import type { Bus } from "../bus/bus.js";
import type { Envelope } from "../catalog/envelope.js";
import { rememberHops } from "./passed-hops.js";

/**
 * Emits an event that came from elsewhere. Its payload says so in `_forwarded` and `_forwarded_from`, whatever it said before; one that is
 * no object becomes `{ value, … }`. A forwarder on this bus knows which instances it has passed and never sends it back to one of them.
 */
export function republish(
  bus: Pick<Bus, "emit" | "emitToObservers">,
  envelope: Envelope,
  to: "all" | "observers" = "all",
): void | Promise<void> {
  const { payload, source, hops } = envelope;
  const stamped = { ...asObject(payload), _forwarded: true, _forwarded_from: source.app };
  rememberHops(stamped, [...new Set([source.instance, ...hops])]);
  return to === "all" ? bus.emit(envelope.event, stamped) : bus.emitToObservers(envelope.event, stamped);
}

function asObject(payload: unknown): object {
  return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : { value: payload };
}

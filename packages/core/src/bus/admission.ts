import type { HookError } from "../catalog/errors.js";
import type { BusEvent } from "./event.js";
import { crashed } from "./failures.js";
import type { Registration } from "./registration.js";

/** Whether the bus calls a handler: yes, or the reason why not. */
export type Admission = "yes" | "no-match" | "suspended" | "spent" | HookError;

/** Admits an observer: suspension, the matcher against the current payload, and `once`, in that order. */
export function admit(registration: Registration, event: BusEvent): Admission {
  if (registration.suspendedUntil !== 0 && registration.isSuspended(Date.now())) return "suspended";
  return admitGuard(registration, event, true);
}

/** Admits a guard, which is never suspended: one that fails closed keeps denying. It looks as often as it must, also when it is for once. */
export function admitGuard(registration: Registration, event: BusEvent, isFirstLook: boolean): Admission {
  if (registration.predicate !== undefined) {
    try {
      if (!registration.predicate(event.payload, event.value)) return "no-match";
    } catch (thrown) {
      return crashed(registration, event.slot, thrown);
    }
  }
  if (!registration.parts.once || !isFirstLook) return "yes";
  return event.slot.core.remove(registration) ? "yes" : "spent";
}

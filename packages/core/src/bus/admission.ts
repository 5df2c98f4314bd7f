import type { HookError } from "../catalog/errors.js";
import type { BusEvent } from "./event.js";
import { crashed } from "./failures.js";
import type { Registration } from "./registration.js";

/** Whether a handler is to be called: yes, or the reason why not. */
export type Admission = "yes" | "no-match" | "suspended" | "spent" | HookError;

/** Checks suspension, the matcher against the current payload, and `once`, in that order. A matcher that throws is the handler's failure. */
export function admit(registration: Registration, event: BusEvent, isFirstLook = true): Admission {
  if (registration.suspendedUntil !== 0 && registration.isSuspended(Date.now())) return "suspended";
  if (registration.predicate !== undefined) {
    try {
      if (!registration.predicate(event.payload, event.value)) return "no-match";
    } catch (thrown) {
      return crashed(registration, event.slot, thrown);
    }
  }
  if (!registration.parts.once || !isFirstLook) return "yes";
  if (registration.isRemoved) return "spent";
  event.slot.core.remove(registration);
  return "yes";
}

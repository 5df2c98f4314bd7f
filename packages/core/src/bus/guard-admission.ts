import type { HookError } from "../catalog/errors.js";
import { type Admission, admitGuard } from "./admission.js";
import type { BusEvent } from "./event.js";
import type { Registration } from "./registration.js";

/** Which handlers of a gate may still be asked. */
export class GuardAdmission {
  /** The host's own handlers are not asked any more; guards of the hub are, whatever the bus says about its own. */
  isHostDone = false;
  /** The handler whose matcher the fast path has asked already: asked twice, it could say no the second time. */
  matched: Registration | undefined;
  /** `once` handlers that this gate already called. They may still see a rewrite. */
  #usedUp: Set<Registration> | undefined;

  isLeftOut(registration: Registration): boolean {
    return this.isHostDone && !isOfHub(registration);
  }

  admit(registration: Registration, event: BusEvent): Admission | HookError {
    const isFirst = this.#usedUp?.has(registration) !== true;
    const admission = registration === this.matched ? "yes" : admitGuard(registration, event, isFirst);
    this.matched = undefined;
    if (admission === "yes" && registration.parts.once) {
      this.#usedUp ??= new Set();
      this.#usedUp.add(registration);
    }
    return admission;
  }
}

/** What the hub says holds for every process that it guards, however that process treats its own handlers. */
export function isOfHub({ parts }: Registration): boolean {
  return parts.actor.kind === "hub";
}

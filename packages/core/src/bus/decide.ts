import { coarseNow } from "./clock.js";
import { DecisionRecord } from "./decision.js";
import { BusEvent } from "./event.js";
import { crashed } from "./failures.js";
import { Gate } from "./gate.js";
import { observeStage } from "./observe.js";
import { promiseOf } from "./promises.js";
import type { Registration } from "./registration.js";
import type { Slot } from "./slot.js";
import type { Decision } from "./types.js";

/** Handlers the fast path can remember as unmatched in one small integer. */
const FAST_HANDLERS = 30;
const NOBODY: readonly Registration[] = [];

/**
 * Decides a gate. Most calls pass every guard without a word: that path allocates an event and a decision and nothing else.
 * Whatever else happens (an answer, a throw, a promise, a call to be timed) is handed to `Gate` at that handler.
 */
export function decide(slot: Slot, given: unknown, depth: number, cancel: AbortSignal | undefined): Decision | Promise<Decision> {
  const payload = given === undefined ? {} : given;
  if (slot.isIdle && cancel?.aborted !== true) return new DecisionRecord("pass", payload, { handlers: NOBODY, unmatched: 0 });
  const event = new BusEvent(slot, payload, depth);
  const { handlers, deciders } = slot;
  if (!slot.isPlain || handlers.length > FAST_HANDLERS || cancel !== undefined || slot.name === "finish:before")
    return new Gate(slot, event).cancelOn(cancel).run();
  const now = coarseNow();
  let unmatched = 0;
  for (let index = 0; index < deciders; index++) {
    const registration = handlers[index] as Registration;
    if (registration.isSpecial || registration.isAsync || registration.isSampled)
      return new Gate(slot, event).takeOver(index, unmatched).run();
    let returned: unknown;
    try {
      if (registration.predicate !== undefined && !registration.predicate(payload)) {
        unmatched |= 1 << index;
        continue;
      }
      registration.calls++;
      registration.lastFired = now;
      returned = registration.handler(event);
    } catch (thrown) {
      return new Gate(slot, event)
        .takeOver(index, unmatched)
        .sawThrow(crashed(registration, slot, thrown))
        .run();
    }
    if (returned === undefined || returned === true || returned === null) continue;
    const promise = promiseOf(returned);
    const gate = new Gate(slot, event).takeOver(index, unmatched);
    return promise === undefined ? gate.heard(returned).run() : gate.heardPromise(promise);
  }
  if (deciders < handlers.length) observeStage(handlers, deciders, event);
  return new DecisionRecord("pass", payload, { handlers, unmatched });
}

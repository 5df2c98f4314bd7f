import { HookError } from "../catalog/errors.js";
import { admit } from "./admission.js";
import { coarseTick } from "./clock.js";
import { InFlight, unwatch, watchFor } from "./deadlines.js";
import type { BusEvent } from "./event.js";
import { crashed, recordFailure, recordSuccess, timedOut } from "./failures.js";
import { promiseOf, whenSettled } from "./promises.js";
import type { Registration } from "./registration.js";
import type { ReturnedValues } from "./returned-values.js";
import { tell } from "./taps.js";
import type { TrailAction } from "./types.js";

/** All the promises of one dispatch, as one. */
export class Pending {
  readonly promise: Promise<void>;
  #left = 0;
  #resolve: () => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  follow(call: ObserverCall, promise: Promise<unknown>): void {
    call.event.keep();
    this.#left++;
    watchFor(call, call.registration.parts.timeoutMs);
    whenSettled(
      promise,
      (value) => this.#settled(call, () => call.succeeded(value)),
      (thrown) => this.#settled(call, () => call.failed(crashed(call.registration, call.event.slot, thrown))),
    );
  }

  /** Once per call: what comes after its time was up is not heard. */
  #settled(call: ObserverCall, conclude: () => void): void {
    if (call.isOver) return;
    call.isOver = true;
    unwatch(call);
    conclude();
    if (--this.#left === 0) this.#resolve();
  }

  expired(call: ObserverCall): void {
    this.#settled(call, () => call.failed(timedOut(call.registration, call.event.slot)));
  }
}

/** One call of one observer, with everything on. A hung one keeps no process alive, unless a caller waits for its result. */
class ObserverCall extends InFlight {
  readonly registration: Registration;
  readonly event: BusEvent;
  isOver = false;
  pending: Pending | undefined;
  readonly #returned: ReturnedValues;
  readonly #place: number;
  readonly #startedAt: number;

  constructor(registration: Registration, event: BusEvent, place: number, values: ReturnedValues, startedAt: number) {
    super(values.isAwaited);
    this.registration = registration;
    this.event = event;
    this.#place = place;
    this.#returned = values;
    this.#startedAt = startedAt;
  }

  succeeded(returned: unknown): void {
    const durationMs = performance.now() - this.#startedAt;
    this.registration.took(durationMs);
    recordSuccess(this.registration, this.event.slot);
    const action = returned === undefined ? "pass" : this.#returned.take(returned, this.#place, this.registration, this.event);
    this.#tellReturned(action, returned, undefined, durationMs);
  }

  failed(error: HookError): void {
    const durationMs = performance.now() - this.#startedAt;
    if (error.failure === "timeout") {
      this.event.abort(error);
      this.registration.took(durationMs);
    }
    recordFailure(this.registration, this.event.slot, error, true);
    this.#tellReturned("failed", undefined, error, durationMs);
  }

  override expire(): void {
    this.pending?.expired(this);
  }

  #tellReturned(action: TrailAction, answer: unknown, failure: HookError | undefined, durationMs: number): void {
    const { event, registration } = this;
    if (event.slot.core.taps.length === 0) return;
    const call = { action, reason: failure?.message, answer, failure, durationMs, round: 0 };
    tell(event.slot, event, (tap) => tap.returned?.(event, registration.info, call));
  }
}

/** Calls one handler with everything on: matching, once, suspension, timing, taps. Returns the dispatch's promises so far. */
export function callCarefully(
  registration: Registration,
  event: BusEvent,
  place: number,
  values: ReturnedValues,
  pending: Pending | undefined,
): Pending | undefined {
  const { slot } = event;
  const admission = admit(registration, event);
  if (admission !== "yes") {
    if (admission instanceof HookError) new ObserverCall(registration, event, place, values, performance.now()).failed(admission);
    return pending;
  }
  registration.begin(coarseTick());
  const call = new ObserverCall(registration, event, place, values, performance.now());
  if (slot.core.taps.length > 0) tell(slot, event, (tap) => tap.called?.(event, registration.info));
  try {
    const { handler } = registration;
    const returned = handler(event);
    const promise = promiseOf(returned);
    if (promise !== undefined) return follow(call, promise, pending);
    call.succeeded(returned);
  } catch (thrown) {
    call.failed(crashed(registration, slot, thrown));
  }
  return pending;
}

/** Deals with what a handler of a fast loop returned: a value, or a promise to follow. */
export function received(
  returned: unknown,
  registration: Registration,
  event: BusEvent,
  place: number,
  values: ReturnedValues,
  pending: Pending | undefined,
): Pending | undefined {
  const promise = promiseOf(returned);
  if (promise !== undefined) return follow(new ObserverCall(registration, event, place, values, performance.now()), promise, pending);
  values.take(returned, place, registration, event);
  return pending;
}

function follow(call: ObserverCall, promise: Promise<unknown>, pending: Pending | undefined): Pending {
  const all = pending ?? new Pending();
  if (!call.registration.isAsync) {
    call.registration.isAsync = true;
    call.event.slot.core.reclassify(call.registration);
  }
  call.pending = all;
  all.follow(call, promise);
  return all;
}

import { HookError } from "../catalog/errors.js";
import { admit } from "./admission.js";
import { coarseTick } from "./clock.js";
import { InFlight, unwatch, watchFor } from "./deadlines.js";
import { BusEvent } from "./event.js";
import { crashed, recordFailure, recordSuccess, timedOut } from "./failures.js";
import { promiseOf } from "./promises.js";
import type { Registration } from "./registration.js";
import type { Slot } from "./slot.js";
import { tell } from "./taps.js";

/** Every value the handlers returned that is not null, in handler order. Those that fail are reported and left out. Never rejects. */
export async function collect(slot: Slot, payload: unknown, depth: number): Promise<unknown[]> {
  if (slot.isIdle) return [];
  let event = new BusEvent(slot, payload === undefined ? {} : payload, depth);
  if (slot.core.taps.length > 0) event.stamp();
  const isSequential = slot.core.options.observe === "sequential";
  const results: unknown[] = [];
  for (const registration of slot.handlers) {
    const result = askOne(registration, event);
    if (result instanceof Promise) event = event.sibling();
    results.push(isSequential ? await result : result);
  }
  const values = await Promise.all(results);
  tell(slot, event, (tap) => tap.dispatched?.(event, { kind: slot.spec.kind }));
  return values.filter((value) => value !== undefined && value !== null);
}

function askOne(registration: Registration, event: BusEvent): unknown {
  const { slot } = event;
  const admission = admit(registration, event);
  if (admission instanceof HookError) recordFailure(registration, slot, admission, true);
  if (admission !== "yes") return undefined;
  const startedAt = performance.now();
  registration.begin(coarseTick());
  tell(slot, event, (tap) => tap.called?.(event, registration.info));
  try {
    const returned = registration.handler(event);
    const promise = promiseOf(returned);
    if (promise !== undefined) return new PendingValue(registration, event, startedAt).follow(promise);
    return concluded(registration, event, startedAt, returned);
  } catch (thrown) {
    return gone(registration, event, startedAt, crashed(registration, slot, thrown));
  }
}

function concluded(registration: Registration, event: BusEvent, startedAt: number, answer: unknown): unknown {
  const durationMs = performance.now() - startedAt;
  registration.took(durationMs);
  recordSuccess(registration, event.slot);
  tell(event.slot, event, (tap) =>
    tap.returned?.(event, registration.info, { action: "pass", reason: undefined, answer, failure: undefined, durationMs, round: 0 }),
  );
  return answer;
}

function gone(registration: Registration, event: BusEvent, startedAt: number, failure: HookError): undefined {
  const durationMs = performance.now() - startedAt;
  recordFailure(registration, event.slot, failure, true);
  tell(event.slot, event, (tap) =>
    tap.returned?.(event, registration.info, {
      action: "failed",
      reason: failure.message,
      answer: undefined,
      failure,
      durationMs,
      round: 0,
    }),
  );
  return undefined;
}

class PendingValue extends InFlight {
  readonly #registration: Registration;
  readonly #event: BusEvent;
  readonly #startedAt: number;
  #giveUp: (value: undefined) => void = () => {};

  constructor(registration: Registration, event: BusEvent, startedAt: number) {
    super(true);
    this.#registration = registration;
    this.#event = event;
    this.#startedAt = startedAt;
  }

  async follow(promise: Promise<unknown>): Promise<unknown> {
    this.#registration.isAsync = true;
    const { timeoutMs } = this.#registration.parts;
    watchFor(this, timeoutMs);
    const overdue = new Promise<undefined>((resolve) => {
      this.#giveUp = resolve;
    });
    return Promise.race([overdue, this.#settle(promise)]);
  }

  override expire(): void {
    const error = timedOut(this.#registration, this.#event.slot);
    this.#event.abort(error);
    this.#giveUp(gone(this.#registration, this.#event, this.#startedAt, error));
  }

  async #settle(promise: Promise<unknown>): Promise<unknown> {
    try {
      const value = await promise;
      if (this.#isLate()) return undefined;
      return concluded(this.#registration, this.#event, this.#startedAt, value);
    } catch (thrown) {
      if (this.#isLate()) return undefined;
      return gone(this.#registration, this.#event, this.#startedAt, crashed(this.#registration, this.#event.slot, thrown));
    }
  }

  /** Already expired: its failure has been counted. */
  #isLate(): boolean {
    const isLate = this.#registration.parts.timeoutMs > 0 && !this.isWatched;
    unwatch(this);
    return isLate;
  }
}

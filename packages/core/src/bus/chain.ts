import type { HookError } from "../catalog/errors.js";
import type { Admission } from "./admission.js";
import { coarseTick } from "./clock.js";
import { InFlight, unwatch, watchFor } from "./deadlines.js";
import type { BusEvent } from "./event.js";
import { crashed, recordSuccess, timedOut } from "./failures.js";
import { promiseOf, whenSettled } from "./promises.js";
import type { Registration } from "./registration.js";
import type { Relayed } from "./relayed.js";
import type { Slot } from "./slot.js";
import { tell } from "./taps.js";
import type { TrailAction, TrailStep } from "./types.js";

type Listener = (value: unknown) => void;

/**
 * Handlers called one after the other: gates, transforms and sequential observers. Synchronous until a handler returns
 * a promise; one in-flight record for the whole chain, its deadline rewritten per handler.
 */
export abstract class Chain<T> extends InFlight {
  readonly slot: Slot;
  readonly steps: TrailStep[] = [];
  event: BusEvent;
  round = 0;
  /** Answers that arrive for an earlier generation come too late: the handler timed out or the caller cancelled. */
  protected generation = 0;
  protected isDone = false;
  #waitingFor: Registration | undefined;
  #startedAt = 0;
  #onValue: Listener | undefined;
  #onError: Listener | undefined;
  #isTimed = false;
  /** The latest step of a handler, and what was wrong with it, for the taps. */
  #lastStep: TrailStep | undefined;
  #lastError: HookError | undefined;
  #result: T | undefined;
  #error: HookError | undefined;
  #resolve: ((result: T) => void) | undefined;
  #reject: ((error: HookError) => void) | undefined;
  #cancel: AbortSignal | undefined;
  #onCancel: (() => void) | undefined;

  constructor(slot: Slot, event: BusEvent, keepsAlive: boolean) {
    super(keepsAlive);
    this.slot = slot;
    this.event = event;
  }

  /** The next handler; undefined when all have run or the chain has stopped. */
  protected abstract next(): Registration | undefined;
  protected abstract answered(registration: Registration, returned: unknown, durationMs: number | undefined): void;
  protected abstract failed(registration: Registration, error: HookError, durationMs: number | undefined): void;
  /** No handler is left: call `done`, or wait for something else first. */
  protected abstract ended(): void;
  /** `waiting`: the handler whose answer was waited for. */
  protected abstract cancelled(reason: unknown, waiting: Registration | undefined): void;

  /** Runs the chain and gives its result: at once if every handler was synchronous. */
  run(): T | Promise<T> {
    this.proceed();
    if (this.isDone) return this.#error === undefined ? (this.#result as T) : Promise.reject(this.#error);
    return new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Takes the time of every call. */
  timed(): this {
    this.#isTimed = true;
    return this;
  }

  cancelOn(signal: AbortSignal | undefined): this {
    if (signal === undefined) return this;
    this.#cancel = signal;
    this.#onCancel = () => this.#abandon();
    if (signal.aborted) this.#abandon();
    else signal.addEventListener("abort", this.#onCancel, { once: true });
    return this;
  }

  protected proceed(): void {
    while (!this.isDone) {
      const registration = this.next();
      if (registration === undefined) {
        if (!this.isDone) this.ended();
        return;
      }
      if (!this.#call(registration)) return;
    }
  }

  protected done(result: T): void {
    if (this.isDone) return;
    this.#close();
    this.#result = result;
    this.#resolve?.(result);
  }

  protected abort(error: HookError): void {
    if (this.isDone) return;
    this.#close();
    this.#error = error;
    this.#reject?.(error);
  }

  protected step(
    registration: Registration,
    action: TrailAction,
    durationMs?: number,
    reason?: string,
    error?: HookError,
    relayed?: Relayed,
  ): void {
    const { actor, stage } = registration.parts;
    this.#lastStep = { actor, stage, round: this.round, action, reason, failure: error?.failure, durationMs };
    this.steps.push(this.#lastStep);
    if (relayed !== undefined) this.steps.push(...relayed.steps);
    this.#lastError = error;
  }

  /** Follows a handler's promise; the chain goes on when it settles or its time is up. */
  wait(registration: Registration, promise: Promise<unknown>, startedAt: number): void {
    if (!registration.isAsync) {
      registration.isAsync = true;
      this.slot.core.reclassify(registration);
    }
    this.#waitingFor = registration;
    this.#startedAt = startedAt;
    watchFor(this, registration.parts.timeoutMs);
    if (this.#onValue === undefined) this.#listen();
    whenSettled(promise, this.#onValue as Listener, this.#onError as Listener);
  }

  /** The time is up: what the handler says from now on is not heard. */
  override expire(): void {
    const registration = this.#waitingFor as Registration;
    this.#waitingFor = undefined;
    const error = timedOut(registration, this.slot);
    const durationMs = performance.now() - this.#startedAt;
    registration.took(durationMs);
    this.#deafen(error);
    this.#fail(registration, error, durationMs);
    this.proceed();
  }

  /** False when the chain now waits for the handler's promise. */
  #call(registration: Registration): boolean {
    const { event, slot } = this;
    const { handler } = registration;
    const isTapped = slot.core.taps.length > 0;
    const startedAt = registration.begin(coarseTick()) || this.#isTimed || isTapped ? performance.now() : 0;
    if (isTapped) tell(slot, event, (tap) => tap.called?.(event, registration.info));
    let returned: unknown;
    try {
      returned = handler(event);
    } catch (thrown) {
      this.#fail(registration, crashed(registration, slot, thrown), since(startedAt));
      return true;
    }
    const promise = promiseOf(returned);
    if (promise !== undefined) {
      this.wait(registration, promise, startedAt === 0 ? performance.now() : startedAt);
      return false;
    }
    const durationMs = since(startedAt);
    if (durationMs !== undefined) registration.took(durationMs);
    this.#succeed(registration, returned, durationMs);
    this.#keepSignalApart(event);
    return true;
  }

  /** A handler is not called; with an error, it could not even be asked whether it matches. */
  protected leaveOut(registration: Registration, admission: Exclude<Admission, "yes">): void {
    if (typeof admission === "object") this.#fail(registration, admission, undefined);
    else this.step(registration, admission === "spent" ? "not-reached" : admission);
  }

  #succeed(registration: Registration, returned: unknown, durationMs: number | undefined): void {
    const { event } = this;
    recordSuccess(registration, this.slot);
    try {
      this.answered(registration, returned, durationMs);
    } catch (thrown) {
      // An answer that throws while it is looked at.
      return this.#fail(registration, crashed(registration, this.slot, thrown), durationMs);
    }
    if (this.slot.core.taps.length > 0) this.#tellReturned(event, registration, returned, durationMs);
  }

  #fail(registration: Registration, error: HookError, durationMs: number | undefined): void {
    const { event } = this;
    this.failed(registration, error, durationMs);
    if (this.slot.core.taps.length > 0) this.#tellReturned(event, registration, undefined, durationMs);
    if (this.#error !== undefined)
      tell(this.slot, event, (tap) => tap.dispatched?.(event, { kind: this.slot.spec.kind, error: this.#error }));
  }

  #tellReturned(event: BusEvent, registration: Registration, answer: unknown, durationMs = 0): void {
    const { action = "pass", reason } = this.#lastStep ?? {};
    const call = { action, reason, answer, failure: this.#lastError, durationMs, round: this.round };
    tell(this.slot, event, (tap) => tap.returned?.(event, registration.info, call));
  }

  // Two closures per chain, not per handler; a new pair only after a timeout made the old one deaf.
  #listen(): void {
    const { generation } = this;
    this.#onValue = (value) => {
      if (generation === this.generation) this.#settled(value);
    };
    this.#onError = (thrown) => {
      if (generation === this.generation) this.#settled(undefined, { thrown });
    };
  }

  #settled(value: unknown, failure?: { readonly thrown: unknown }): void {
    const registration = this.#waitingFor as Registration;
    const durationMs = performance.now() - this.#startedAt;
    unwatch(this);
    this.#waitingFor = undefined;
    registration.took(durationMs);
    const { event } = this;
    if (failure === undefined) this.#succeed(registration, value, durationMs);
    else this.#fail(registration, crashed(registration, this.slot, failure.thrown), durationMs);
    this.#keepSignalApart(event);
    this.proceed();
  }

  /** A handler may go on using its signal, so the next one gets an event of its own. */
  #keepSignalApart(event: BusEvent): void {
    if (this.event === event && event.isSignalTaken) this.event = event.sibling();
  }

  #abandon(): void {
    if (this.isDone) return;
    const reason = this.#cancel?.reason;
    const waiting = this.#waitingFor;
    const { event } = this;
    this.#deafen(reason);
    if (waiting !== undefined) {
      const durationMs = performance.now() - this.#startedAt;
      this.step(waiting, "cancelled", durationMs);
      if (this.slot.core.taps.length > 0) this.#tellReturned(event, waiting, undefined, durationMs);
    }
    this.cancelled(reason, waiting);
  }

  #deafen(reason: unknown): void {
    this.generation++;
    this.#onValue = this.#onError = undefined;
    const { event } = this;
    this.event = event.sibling();
    event.abort(reason);
  }

  #close(): void {
    this.isDone = true;
    this.generation++;
    unwatch(this);
    if (this.#onCancel !== undefined) this.#cancel?.removeEventListener("abort", this.#onCancel);
  }
}

function since(startedAt: number): number | undefined {
  return startedAt === 0 ? undefined : performance.now() - startedAt;
}

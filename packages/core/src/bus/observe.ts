import { HookError } from "../catalog/errors.js";
import { admit } from "./admission.js";
import { readAnswer } from "./answers.js";
import { Chain } from "./chain.js";
import { coarseTick } from "./clock.js";
import { InFlight, unwatch, watchFor } from "./deadlines.js";
import { book } from "./effects.js";
import { BusEvent } from "./event.js";
import { complaint, crashed, recordFailure, recordSuccess, timedOut } from "./failures.js";
import { deepFreeze } from "./freeze.js";
import { promiseOf, whenSettled } from "./promises.js";
import type { AnyHandler, Registration } from "./registration.js";
import { objections } from "./scrutiny.js";
import { type Slot, UNTIMED_DISPATCHES } from "./slot.js";
import { tell } from "./taps.js";
import type { TrailAction } from "./types.js";

/** Collects what observers inject, for a caller that can use it. */
export type Injections = string[];

/**
 * Tells every handler of an event. Returns a promise only if one of them did; it never rejects.
 * The loop is the hot path: no closure, one allocation (the event), isolation by try/catch, which costs nothing until it catches.
 */
export function observe(slot: Slot, payload: unknown, depth: number, injections?: Injections): void | Promise<void> {
  if (slot.isIdle) return;
  const event = new BusEvent(slot, payload === undefined ? {} : payload, depth);
  if (!slot.isUniform) return slot.isPlain ? tellFrom(slot.handlers, 0, event, injections) : observeWatched(slot, event, injections);
  slot.uncounted++;
  slot.lastTick = coarseTick();
  if (slot.untimed-- !== 0) return tellUniform(slot, event, injections);
  slot.untimed = UNTIMED_DISPATCHES;
  return tellTimed(slot, event, injections);
}

/** The observe stage of a gate: told the final payload, not waited for. */
export function observeStage(handlers: readonly Registration[], from: number, event: BusEvent): void {
  void tellFrom(handlers, from, event, undefined);
}

// 10 handlers in 7 ns each: nothing is read, counted or checked per handler but what it returns.
function tellUniform(slot: Slot, first: BusEvent, injections: Injections | undefined): void | Promise<void> {
  const { functions, handlers } = slot;
  let event = first;
  let pending: Pending | undefined;
  for (let index = 0; index < functions.length; index++) {
    const handler = functions[index] as AnyHandler;
    try {
      const returned = handler(event);
      if (returned === undefined) continue;
      pending = received(handlers[index] as Registration, event, returned, 0, pending, injections);
      if (pending?.event === event) event = event.sibling();
    } catch (thrown) {
      recordFailure(handlers[index] as Registration, slot, crashed(handlers[index] as Registration, slot, thrown), true);
    }
  }
  return pending?.promise;
}

/** The same with a clock read between two handlers: the end of one is the start of the next. */
function tellTimed(slot: Slot, first: BusEvent, injections: Injections | undefined): void | Promise<void> {
  let event = first;
  let pending: Pending | undefined;
  let startedAt = performance.now();
  for (const registration of slot.handlers) {
    try {
      const returned = registration.handler(event);
      const now = performance.now();
      if (returned === undefined || promiseOf(returned) === undefined) registration.took(now - startedAt);
      if (returned !== undefined) pending = received(registration, event, returned, startedAt, pending, injections);
      if (pending?.event === event) event = event.sibling();
      startedAt = now;
    } catch (thrown) {
      recordFailure(registration, slot, crashed(registration, slot, thrown), true);
    }
  }
  return pending?.promise;
}

function tellFrom(
  handlers: readonly Registration[],
  from: number,
  first: BusEvent,
  injections: Injections | undefined,
): void | Promise<void> {
  const tick = coarseTick();
  let event = first;
  let pending: Pending | undefined;
  for (let index = from; index < handlers.length; index++) {
    const registration = handlers[index] as Registration;
    // Everything rare takes the careful way: once, failing, and the call in 64 that is timed.
    if (registration.budget === 0) {
      pending = callCarefully(registration, event, pending, injections);
      if (pending?.event === event) event = event.sibling();
      continue;
    }
    try {
      if (registration.predicate !== undefined && !registration.predicate(event.payload)) continue;
      registration.budget--;
      registration.lastTick = tick;
      const returned = registration.handler(event);
      if (returned === undefined) continue;
      pending = received(registration, event, returned, 0, pending, injections);
      if (pending?.event === event) event = event.sibling();
    } catch (thrown) {
      recordFailure(registration, event.slot, crashed(registration, event.slot, thrown), true);
    }
  }
  return pending?.promise;
}

function callCarefully(
  registration: Registration,
  event: BusEvent,
  pending: Pending | undefined,
  injections: Injections | undefined,
): Pending | undefined {
  const { slot } = event;
  const admission = admit(registration, event);
  if (admission !== "yes") {
    if (admission instanceof HookError) recordFailure(registration, slot, admission, true);
    return pending;
  }
  const startedAt = performance.now();
  const isTapped = slot.core.taps.length > 0;
  registration.begin(coarseTick());
  if (isTapped) tell(slot, event, (tap) => tap.called?.(event, registration.info));
  try {
    const returned = registration.handler(event);
    if (returned !== undefined && promiseOf(returned) !== undefined)
      return received(registration, event, returned, startedAt, pending, injections);
    const durationMs = performance.now() - startedAt;
    registration.took(durationMs);
    recordSuccess(registration, slot);
    const action = returned === undefined ? "pass" : takeAnswer(registration, event, returned, injections);
    if (isTapped) tellReturned(registration, event, action, returned, undefined, durationMs);
  } catch (thrown) {
    failed(registration, event, crashed(registration, slot, thrown), performance.now() - startedAt);
  }
  return pending;
}

function received(
  registration: Registration,
  event: BusEvent,
  returned: unknown,
  startedAt: number,
  pending: Pending | undefined,
  injections: Injections | undefined,
): Pending | undefined {
  const promise = promiseOf(returned);
  if (promise === undefined) {
    takeAnswer(registration, event, returned, injections);
    return pending;
  }
  registration.isAsync = true;
  const all = pending ?? new Pending();
  all.follow(registration, event, promise, startedAt === 0 ? performance.now() : startedAt, injections);
  return all;
}

/** All the promises of one emit, as one. */
class Pending {
  readonly promise: Promise<void>;
  /** The event the latest asynchronous handler holds. */
  event: BusEvent | undefined;
  #left = 0;
  #resolve: () => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  follow(
    registration: Registration,
    event: BusEvent,
    promise: Promise<unknown>,
    startedAt: number,
    injections: Injections | undefined,
  ): void {
    this.event = event;
    this.#left++;
    const call = new PendingCall(this, registration, event, startedAt, injections);
    watchFor(call, registration.parts.timeoutMs);
    whenSettled(
      promise,
      (value) => call.succeeded(value),
      (thrown) => call.threw(thrown),
    );
  }

  settled(): void {
    if (--this.#left === 0) this.#resolve();
  }
}

/** One asynchronous observer. A hung one keeps no process alive. */
class PendingCall extends InFlight {
  readonly #all: Pending;
  readonly #registration: Registration;
  readonly #event: BusEvent;
  readonly #startedAt: number;
  readonly #injections: Injections | undefined;
  #isOver = false;

  constructor(all: Pending, registration: Registration, event: BusEvent, startedAt: number, injections: Injections | undefined) {
    super(false);
    this.#all = all;
    this.#registration = registration;
    this.#event = event;
    this.#startedAt = startedAt;
    this.#injections = injections;
  }

  succeeded(value: unknown): void {
    if (!this.#end()) return;
    const durationMs = performance.now() - this.#startedAt;
    this.#registration.took(durationMs);
    recordSuccess(this.#registration, this.#event.slot);
    const action = value === undefined ? "pass" : takeAnswer(this.#registration, this.#event, value, this.#injections);
    tellReturned(this.#registration, this.#event, action, value, undefined, durationMs);
    this.#all.settled();
  }

  threw(thrown: unknown): void {
    if (!this.#end()) return;
    failed(this.#registration, this.#event, crashed(this.#registration, this.#event.slot, thrown), performance.now() - this.#startedAt);
    this.#all.settled();
  }

  override expire(): void {
    if (!this.#end()) return;
    const error = timedOut(this.#registration, this.#event.slot);
    this.#event.abort(error);
    failed(this.#registration, this.#event, error, performance.now() - this.#startedAt);
    this.#all.settled();
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    unwatch(this);
    return true;
  }
}

function failed(registration: Registration, event: BusEvent, error: HookError, durationMs: number): void {
  recordFailure(registration, event.slot, error, true);
  tellReturned(registration, event, "failed", undefined, error, durationMs);
}

function tellReturned(
  registration: Registration,
  event: BusEvent,
  action: TrailAction,
  answer: unknown,
  failure: HookError | undefined,
  durationMs: number,
): void {
  if (event.slot.core.taps.length === 0) return;
  const call = { action, reason: failure?.message, answer, failure, durationMs, round: 0 };
  tell(event.slot, event, (tap) => tap.returned?.(event, registration.info, call));
}

/** An observer's answer: reminders and injections where the event takes them; a verdict is ignored, and said so once. */
function takeAnswer(registration: Registration, event: BusEvent, returned: unknown, injections: Injections | undefined): TrailAction {
  const { slot } = event;
  // Observers return all sorts of things by accident (`(e) => list.push(e)`); only what claims to be an outcome is looked at.
  if (typeof returned !== "object" || returned === null) return returned === false ? ignoreVerdict(registration, slot) : "pass";
  const answer = readAnswer(returned);
  if (answer === undefined) return "pass";
  if (slot.isTransform && answer.rewrite?.as === "value") answer.rewrite = undefined;
  answer.strange = [];
  answer.invalid = undefined;
  if (slot.isGate && (answer.verdict !== undefined || answer.rewrite !== undefined)) {
    ignoreVerdict(registration, slot);
    answer.verdict = answer.rewrite = undefined;
  }
  for (const { error, isOnce } of objections(answer, slot))
    if (!isOnce || registration.firstTime(error.code + error.message)) slot.core.report(complaint(error, registration, slot));
  for (const { text, reminder } of answer.effects) {
    if (text !== undefined) injections?.push(text);
    if (reminder === undefined || book(slot, event, { spec: reminder, by: registration.parts.name })) continue;
    if (registration.firstTime("HL_NO_REMINDER_BOOK"))
      slot.core.report(
        complaint(new HookError("HL_NO_REMINDER_BOOK", "it left a reminder, but the bus has no reminder book"), registration, slot),
      );
  }
  return answer.effects[0]?.kind ?? "pass";
}

function ignoreVerdict(registration: Registration, slot: Slot): TrailAction {
  const how = slot.isGate ? `a verdict counts only in decide("${slot.name}")` : `"${slot.name}" cannot be decided`;
  if (registration.firstTime("verdict"))
    slot.core.report(complaint(new HookError("HL_OUTCOME_NOT_ALLOWED", `${how}; here it is ignored`), registration, slot));
  return "ignored";
}

function observeWatched(slot: Slot, event: BusEvent, injections: Injections | undefined): void | Promise<void> {
  if (slot.core.options.freeze === true) deepFreeze(event.payload);
  const isTapped = slot.core.taps.length > 0;
  if (isTapped) event.stamp();
  const over =
    slot.core.options.observe === "sequential"
      ? new ObserveChain(slot, event, injections).run()
      : tellAllCarefully(slot, event, injections);
  const kind = slot.spec.kind;
  if (!isTapped) return over;
  if (over === undefined) return tell(slot, event, (tap) => tap.dispatched?.(event, { kind }));
  return over.then(() => tell(slot, event, (tap) => tap.dispatched?.(event, { kind })));
}

function tellAllCarefully(slot: Slot, first: BusEvent, injections: Injections | undefined): void | Promise<void> {
  let event = first;
  let pending: Pending | undefined;
  for (const registration of slot.handlers) {
    pending = callCarefully(registration, event, pending, injections);
    if (pending?.event === event) event = event.sibling();
  }
  return pending?.promise;
}

/** Observers awaited one by one, for runtimes that rely on it. */
class ObserveChain extends Chain<void> {
  readonly #handlers: readonly Registration[];
  readonly #injections: Injections | undefined;
  #index = 0;

  constructor(slot: Slot, event: BusEvent, injections: Injections | undefined) {
    super(slot, event, false);
    this.#handlers = slot.handlers;
    this.#injections = injections;
  }

  protected override next(): Registration | undefined {
    while (this.#index < this.#handlers.length) {
      const registration = this.#handlers[this.#index++] as Registration;
      const admission = admit(registration, this.event);
      if (admission === "yes") return registration;
      if (admission instanceof HookError) recordFailure(registration, this.slot, admission, true);
    }
    return undefined;
  }

  protected override answered(registration: Registration, returned: unknown, durationMs: number | undefined): void {
    this.step(registration, takeAnswer(registration, this.event, returned, this.#injections), durationMs);
  }

  protected override failed(registration: Registration, error: HookError, durationMs: number | undefined): void {
    this.step(registration, "failed", durationMs, error.message, error);
    recordFailure(registration, this.slot, error, true);
  }

  protected override ended(): void {
    this.done(undefined);
  }

  protected override cancelled(): void {
    this.done(undefined);
  }
}

import { errorText, HookError } from "../catalog/errors.js";
import { admit } from "./admission.js";
import { Chain } from "./chain.js";
import { coarseTick } from "./clock.js";
import { BusEvent } from "./event.js";
import { crashed, recordFailure } from "./failures.js";
import { callCarefully, type Pending, received } from "./observer-call.js";
import type { AnyHandler, Registration } from "./registration.js";
import { collectEffects, collectValues, effectsOnly, type ReturnedValues } from "./returned-values.js";
import type { Slot } from "./slot.js";
import { tell } from "./taps.js";
import type { Effects } from "./types.js";

/**
 * Tells every handler of an event. Returns a promise only if one of them did; it never rejects.
 * The hot path of the bus: no closure, one allocation (the event), isolation by try/catch, which costs nothing until it catches.
 */
export function observe(slot: Slot, payload: unknown, depth: number): void | Promise<void> {
  if (slot.isIdle) return;
  const event = new BusEvent(slot, payload ?? {}, depth);
  if (!slot.isUniform) return slot.isPlain ? tellEach(slot.roster.handlers, event) : observeFully(slot, event, effectsOnly);
  slot.uncounted++;
  const tick = coarseTick();
  if (tick === slot.lastTick) return tellUniform(slot, event);
  slot.lastTick = tick;
  return tellTimed(slot, event);
}

/** With everything on, and a say in what becomes of the values returned. */
export function observeFully(slot: Slot, event: BusEvent, values: ReturnedValues): void | Promise<void> {
  const { options, taps } = slot.core;
  if (taps.length > 0) event.stamp();
  const over =
    options.observe === "sequential" ? new ObserveChain(slot, event, values).run() : tellCarefully(slot.roster.handlers, event, values);
  if (taps.length === 0) return over;
  const dispatched = (): void => tell(slot, event, (tap) => tap.dispatched?.(event, { kind: slot.spec.kind }));
  return over === undefined ? dispatched() : over.then(dispatched);
}

/** Tells of an event that happened elsewhere, and gives what observers leave for the model. Of a gate that was decided, only the observe stage is told. */
export function observeElsewhere(slot: Slot, payload: unknown, depth: number, isDecided: boolean): Effects | Promise<Effects> {
  const { observers } = slot.roster;
  if (isDecided ? observers.length === 0 : slot.isIdle) return NO_EFFECTS;
  const event = new BusEvent(slot, payload ?? {}, depth);
  const effects = { injections: [], reminders: [] };
  const values = collectEffects(effects);
  const over = isDecided ? tellCarefully(observers, event, values) : observeFully(slot, event, values);
  return over === undefined ? effects : over.then(() => effects);
}

const NO_EFFECTS: Effects = { injections: [], reminders: [] };

/** The observe stage of a gate: told the final payload, not waited for. */
export function observeStage(observers: readonly Registration[], event: BusEvent): void {
  void (event.slot.isPlain ? tellEach(observers, event) : tellCarefully(observers, event, effectsOnly));
}

// 10 handlers in 4 ns each: nothing is read, counted or checked per handler but what it returns.
function tellUniform(slot: Slot, first: BusEvent): void | Promise<void> {
  const { functions, handlers } = slot.roster;
  let event = first;
  let pending: Pending | undefined;
  for (let index = 0; index < functions.length; index++) {
    const handler = functions[index] as AnyHandler;
    try {
      const returned = handler(event);
      if (returned !== undefined) pending = received(returned, handlers[index] as Registration, event, index, effectsOnly, pending);
    } catch (thrown) {
      recordCrash(handlers[index] as Registration, slot, thrown);
    }
    if (event.extras !== undefined && event.isKept) event = event.sibling();
  }
  return pending?.promise;
}

/** The same with a clock read after each handler: the end of one is the start of the next. */
function tellTimed(slot: Slot, first: BusEvent): void | Promise<void> {
  const { handlers } = slot.roster;
  let event = first;
  let pending: Pending | undefined;
  let startedAt = performance.now();
  for (let index = 0; index < handlers.length; index++) {
    const registration = handlers[index] as Registration;
    const { handler } = registration;
    try {
      const returned = handler(event);
      startedAt = noteTime(registration, startedAt);
      if (returned !== undefined) pending = received(returned, registration, event, index, effectsOnly, pending);
    } catch (thrown) {
      recordCrash(registration, slot, thrown);
      startedAt = performance.now();
    }
    if (event.extras !== undefined && event.isKept) event = event.sibling();
  }
  return pending?.promise;
}

function noteTime(registration: Registration, startedAt: number): number {
  const now = performance.now();
  registration.took(now - startedAt);
  return now;
}

/** A mixed list: matchers are asked, handlers count for themselves, and everything rare takes the careful way. */
function tellEach(handlers: readonly Registration[], first: BusEvent): void | Promise<void> {
  const tick = coarseTick();
  let event = first;
  let pending: Pending | undefined;
  for (let index = 0; index < handlers.length; index++) {
    const registration = handlers[index] as Registration;
    const { handler } = registration;
    try {
      if (registration.budget === 0 || registration.isAsync) {
        pending = callCarefully(registration, event, index, effectsOnly, pending);
      } else {
        if (registration.predicate !== undefined && !registration.predicate(event.payload)) continue;
        registration.budget--;
        registration.lastTick = tick;
        const returned = handler(event);
        if (returned !== undefined) pending = received(returned, registration, event, index, effectsOnly, pending);
      }
    } catch (thrown) {
      recordCrash(registration, event.slot, thrown);
    }
    if (event.extras !== undefined && event.isKept) event = event.sibling();
  }
  return pending?.promise;
}

function tellCarefully(handlers: readonly Registration[], first: BusEvent, values: ReturnedValues): void | Promise<void> {
  let event = first;
  let pending: Pending | undefined;
  for (let index = 0; index < handlers.length; index++) {
    pending = callCarefully(handlers[index] as Registration, event, index, values, pending);
    if (event.isKept) event = event.sibling();
  }
  return pending?.promise;
}

function recordCrash(registration: Registration, slot: Slot, thrown: unknown): void {
  recordFailure(registration, slot, crashed(registration, slot, thrown), true);
}

/** Observers awaited one by one, for runtimes that rely on it. */
class ObserveChain extends Chain<void> {
  readonly #handlers: readonly Registration[];
  readonly #returned: ReturnedValues;
  #index = 0;

  constructor(slot: Slot, event: BusEvent, values: ReturnedValues) {
    super(slot, event, values.isAwaited);
    this.#handlers = slot.roster.handlers;
    this.#returned = values;
  }

  protected override next(): Registration | undefined {
    while (this.#index < this.#handlers.length) {
      const registration = this.#handlers[this.#index++] as Registration;
      const admission = admit(registration, this.event);
      if (admission === "yes") return registration;
      if (admission instanceof HookError) this.leaveOut(registration, admission);
    }
    return undefined;
  }

  protected override answered(registration: Registration, returned: unknown, durationMs: number | undefined): void {
    const action = returned === undefined ? "pass" : this.#returned.take(returned, this.#index - 1, registration, this.event);
    this.step(registration, action, durationMs);
  }

  protected override failed(registration: Registration, error: HookError, durationMs: number | undefined): void {
    this.step(registration, "failed", durationMs, errorText(error), error);
    recordFailure(registration, this.slot, error, true);
  }

  protected override ended(): void {
    this.done(undefined);
  }

  protected override cancelled(): void {
    this.done(undefined);
  }
}

/** Every value the handlers returned that is not null, in handler order. Those that fail are reported and left out. Never rejects. */
export async function collect(slot: Slot, payload: unknown, depth: number): Promise<unknown[]> {
  if (slot.isIdle) return [];
  const values: unknown[] = [];
  await observeFully(slot, new BusEvent(slot, payload ?? {}, depth), collectValues(values));
  return values.filter((value) => value !== undefined && value !== null);
}

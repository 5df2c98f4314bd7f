import { coarseTick } from "./clock.js";
import { COARSE_FROM_MS, InFlight, unwatch, watchFor } from "./deadlines.js";
import { DecisionRecord } from "./decision.js";
import type { BusEvent } from "./event.js";
import { crashed, timedOut } from "./failures.js";
import { Gate } from "./gate.js";
import { observeStage } from "./observe.js";
import { promiseOf, whenSettled } from "./promises.js";
import type { Registration } from "./registration.js";
import type { Roster, Slot } from "./slot.js";
import type { Decision } from "./types.js";

const NO_ROSTER = undefined as unknown as Roster;
const NO_EVENT = undefined as unknown as BusEvent;

/** The fast path with guards that return promises: one record, one promise and two closures for the whole chain, whatever its length. */
class AsyncFastPath extends InFlight {
  readonly slot: Slot;
  roster = NO_ROSTER;
  event = NO_EVENT;
  index = 0;
  unmatched = 0;
  startedAt = 0;
  isOver = false;
  /** The coarse deadline is the same for the same limit in the same tick, and need not be set again. */
  limitMs = 0;
  limitTick = 0;
  result: Decision | Promise<Decision> | undefined;
  resolve: ((decision: Decision | Promise<Decision>) => void) | undefined;
  readonly onValue = (returned: unknown): void => this.heard(returned);
  readonly onThrow = (thrown: unknown): void => this.threw(thrown);

  constructor(slot: Slot) {
    super(true);
    this.slot = slot;
  }

  /** Starts again at the handler `index`; those before it have passed, or did not match. */
  at(index: number, unmatched: number, event: BusEvent, roster: Roster): this {
    this.event = event;
    this.roster = roster;
    this.index = index;
    this.unmatched = unmatched;
    this.startedAt = 0;
    this.limitTick = 0;
    return this;
  }

  /** Goes on with the handler at `index`, which has not been called yet. */
  begin(): Decision | Promise<Decision> {
    const promise = this.advance();
    if (promise !== undefined) return this.wait(promise);
    const result = this.result ?? this.passed();
    this.rest();
    return result;
  }

  /** Goes on with the promise that the handler at `index` has returned. */
  follow(promise: Promise<unknown>): Promise<Decision> {
    this.limit(this.roster.deciders[this.index] as Registration, coarseTick());
    return this.wait(promise);
  }

  wait(promise: Promise<unknown>): Promise<Decision> {
    const decided = new Promise<Decision>((resolve) => {
      this.resolve = resolve;
    });
    whenSettled(promise, this.onValue, this.onThrow);
    return decided;
  }

  /** The time of the handler at `index` is up; a later answer is ignored. */
  override expire(): void {
    const error = timedOut(this.roster.deciders[this.index] as Registration, this.slot);
    (this.roster.deciders[this.index] as Registration).took(this.limitMs);
    this.event.abort(error);
    this.event = this.event.sibling();
    this.isOver = true;
    this.resolve?.(this.gate().sawFailure(error).run());
  }

  heard(returned: unknown): void {
    if (this.isOver) return;
    const durationMs = this.startedAt === 0 ? undefined : this.took();
    if (!isPass(returned)) return this.finish(this.gate().heard(returned, durationMs).run());
    // The handler may go on using its signal, so the next one gets an event of its own.
    if (this.event.extras !== undefined && this.event.isKept) this.event = this.event.sibling();
    this.index++;
    const promise = this.advance();
    if (promise === undefined) this.finish(this.result ?? this.passed());
    else whenSettled(promise, this.onValue, this.onThrow);
  }

  threw(thrown: unknown): void {
    if (!this.isOver) this.finish(this.failed(thrown));
  }

  /** Calls handlers until one returns a promise. Without one, all have passed, or `Gate` has taken over and `result` is there. */
  advance(): Promise<unknown> | undefined {
    const tick = coarseTick();
    const { deciders } = this.roster;
    for (; this.index < deciders.length; this.index++) {
      const registration = deciders[this.index] as Registration;
      if (registration.isSpecial) {
        this.result = this.gate().run();
        return undefined;
      }
      try {
        if (registration.predicate !== undefined && !registration.predicate(this.event.payload)) {
          this.unmatched |= 1 << this.index;
          continue;
        }
        // The first branch of `begin`, inlined: 10 ns a guard.
        if (registration.budget > 0 && registration.lastTick === tick) {
          registration.budget--;
          this.startedAt = 0;
        } else {
          this.startedAt = registration.begin(tick) ? performance.now() : 0;
        }
        const { handler } = registration;
        const returned = handler(this.event);
        const promise = promiseOf(returned);
        if (promise !== undefined) {
          this.limit(registration, tick);
          return promise;
        }
        const durationMs = this.took();
        if (isPass(returned)) {
          if (this.event.isKept) this.event = this.event.sibling();
          continue;
        }
        this.result = this.gate().heard(returned, durationMs).run();
      } catch (thrown) {
        this.result = this.failed(thrown);
      }
      return undefined;
    }
    return undefined;
  }

  passed(): Decision {
    const { deciders, observers } = this.roster;
    if (observers.length > 0) observeStage(observers, this.event);
    return new DecisionRecord("pass", this.event.payload, deciders, this.unmatched);
  }

  /** Limits the time of a handler that has returned a promise. From its first on it comes this way at once, and is counted apart. */
  limit(registration: Registration, tick: number): void {
    if (!registration.isAsync) {
      registration.isAsync = true;
      this.slot.core.reclassify(registration);
    }
    const { timeoutMs } = registration;
    if (this.limitTick === tick && this.limitMs === timeoutMs && timeoutMs >= COARSE_FROM_MS) return;
    this.limitTick = tick;
    this.limitMs = timeoutMs;
    watchFor(this, timeoutMs);
  }

  failed(thrown: unknown): Decision | Promise<Decision> {
    const registration = this.roster.deciders[this.index] as Registration;
    return this.gate()
      .sawFailure(crashed(registration, this.slot, thrown), this.took())
      .run();
  }

  gate(): Gate {
    unwatch(this);
    return new Gate(this.slot, this.event, this.roster).takeOver(this.index, this.unmatched);
  }

  finish(decision: Decision | Promise<Decision>): void {
    unwatch(this);
    this.resolve?.(decision);
    this.rest();
  }

  /** Every promise it followed has settled: the next chain of this event may use it, closures and all. */
  rest(): void {
    this.event = NO_EVENT;
    this.roster = NO_ROSTER;
    this.result = this.resolve = undefined;
    this.slot.spare = this;
  }

  /** The time of the call at `index`, if it was taken. */
  took(): number | undefined {
    if (this.startedAt === 0) return undefined;
    const durationMs = performance.now() - this.startedAt;
    this.roster.deciders[this.index]?.took(durationMs);
    return durationMs;
  }
}

/** A spare one saves an allocation and two closures per chain: 10 % of a chain of five. */
export function asyncFastPath(slot: Slot): AsyncFastPath {
  const { spare } = slot;
  slot.spare = undefined;
  return (spare as AsyncFastPath | undefined) ?? new AsyncFastPath(slot);
}

/** A handler that has no opinion. */
export function isPass(returned: unknown): boolean {
  return returned === undefined || returned === true || returned === null;
}

import type { EventSpec, OutcomeKind } from "../catalog/events.js";
import { type EventInfo, isBlockable } from "../catalog/names.js";
import { isClosed } from "./closed-to.js";
import type { BusCore } from "./core.js";
import type { AnyHandler, Registration } from "./registration.js";
import type { ToolIndex } from "./tool-index.js";
import { wholeValues } from "./whole-values.js";

/** Handlers a decision can remember as unmatched in one small integer. */
export const MAX_UNIFORM = 30;

/** The handlers of an event, in order. Replaced, never mutated: a running dispatch keeps its own. */
export interface Roster {
  readonly handlers: readonly Registration[];
  /** The handlers' functions, so that the hottest loop need not look them up. */
  readonly functions: readonly AnyHandler[];
  /** In a gate, those that may decide: all before the observe stage. */
  readonly deciders: readonly Registration[];
  /** In a gate, the observe stage. */
  readonly observers: readonly Registration[];
  /** Of the deciders, those whom a tool concerns. Made when it is first needed. */
  byTool?: ToolIndex;
}

/** One event on one bus: its catalogue row and who listens. */
export class Slot {
  /** There is no handler and no tap: an emit ends here. */
  isIdle = true;
  /** A gate with handlers: they judge a copy. */
  isCopying = false;
  /** The fast loops may run: no tap watches each call. */
  isPlain = true;
  /** All handlers are plain functions to be called each time, so calls are counted here once and not in each of them. */
  isUniform = false;
  /** Dispatches not yet counted in the handlers. */
  uncounted = 0;
  /** When the latest was. The first one of each tick is timed: a clock read for every call would cost more than the call. */
  lastTick = 0;
  roster = rosterOf([]);
  readonly name: string;
  readonly spec: EventSpec;
  readonly core: BusCore;
  readonly isGate: boolean;
  readonly isTransform: boolean;
  /** A gate whose outcomes include block: only there does `closed` deny. */
  readonly canBlock: boolean;
  /** A finished asynchronous chain, to be used again. */
  spare: unknown;
  /** There is a handle on it, so it outlives a clean-up. */
  isPinned = false;

  constructor(info: EventInfo, core: BusCore) {
    this.name = info.name;
    this.spec = info.spec;
    this.core = core;
    this.isGate = info.spec.kind === "gate";
    this.isTransform = info.spec.kind === "transform";
    this.canBlock = isBlockable(info.spec);
  }

  /** Takes over a new list of handlers. */
  fill(handlers: readonly Registration[]): void {
    this.settle();
    this.roster = rosterOf(handlers);
    if (this.isTransform && handlers.some(isClosed)) wholeValues.prepare();
    const { taps, options } = this.core;
    this.isIdle = handlers.length === 0 && taps.length === 0;
    this.isCopying = this.isGate && handlers.length > 0 && options.freeze !== false;
    this.isPlain = taps.length === 0 && options.observe !== "sequential";
    this.classify();
  }

  /** Works out whether calls may be counted in one place. */
  classify(): void {
    this.settle();
    const { handlers, observers } = this.roster;
    const isCounted = !this.isGate || (observers.length === 0 && handlers.length <= MAX_UNIFORM && this.name !== "finish:before");
    this.isUniform = this.isPlain && isCounted && handlers.every((handler) => handler.isPlain && !handler.isAsync);
    this.lastTick = 0;
  }

  /** Hands the dispatches counted here on to the handlers. */
  settle(): void {
    if (this.uncounted === 0) return;
    for (const handler of this.roster.handlers) handler.count(this.uncounted, this.lastTick);
    this.uncounted = 0;
  }

  allows(outcome: OutcomeKind): boolean {
    return this.spec.outcomes.includes(outcome);
  }
}

function rosterOf(handlers: readonly Registration[]): Roster {
  const isObserver = ({ parts }: Registration): boolean => parts.stage === "observe";
  return {
    handlers,
    functions: handlers.map(({ handler }) => handler),
    deciders: handlers.filter((registration) => !isObserver(registration)),
    observers: handlers.filter(isObserver),
  };
}

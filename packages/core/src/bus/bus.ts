import { HookError } from "../catalog/errors.js";
import { type Category, catalog } from "../catalog/events.js";
import { findEvent, isPattern, patternMatches } from "../catalog/names.js";
import type {
  CatalogName,
  CustomName,
  DecidedName,
  EventName,
  EventPattern,
  GateName,
  PayloadFor,
  SessionRef,
  ToldName,
  ToolCall,
  ToolPayload,
  TransformedName,
  TransformName,
  Unknown,
  ValueOf,
} from "../catalog/payloads.js";
import { BusCore, covers } from "./core.js";
import { decide } from "./decide.js";
import { book } from "./effects.js";
import { type EventHandle, type GateHandle, SlotHandle, type TransformHandle, wrongKind } from "./handle.js";
import { collect, observe, observeElsewhere } from "./observe.js";
import { checkBusOptions, checkClearFilter, checkDecideOptions, checkRunToolOptions } from "./options.js";
import { refusedRun } from "./refused-run.js";
import { createSentinel, type Off, prepare, register } from "./register.js";
import type { AnyHandler, Registration } from "./registration.js";
import type { ErrorListener } from "./reporter.js";
import type { RunToolOptions, ToolRun } from "./run-tool.js";
import { toolRuns } from "./tool-runs.js";
import { createTrace } from "./trace.js";
import { transform } from "./transform.js";
import type {
  Approver,
  BusOptions,
  ClearFilter,
  DecideOptions,
  Decision,
  Effects,
  GateHandler,
  HandlerInfo,
  HandlerOf,
  HandlerOptions,
  HandlerStats,
  Reminder,
  Source,
  Tap,
  TransformResult,
} from "./types.js";

/** How deep events may be dispatched from within events. */
const MAX_DEPTH = 32;

/** A bus: who listens to what, and every way to tell them. Made by `createBus`; handlers get a nested view of it as `event.bus`. */
export class Bus {
  readonly #core: BusCore;
  readonly #depth: number;

  /** @internal */
  constructor(core: BusCore, depth: number) {
    this.#core = core;
    this.#depth = depth;
  }

  /** Registers a handler for an event or a pattern (`tool:*`, `*`). The returned function unregisters exactly this one. */
  // One signature, not one per kind: only so does the compiler say which outcomes the event allows. `string & {}` keeps an editor's suggestions.
  on<const N extends EventName | EventPattern | (string & {})>(event: N, handler: HandlerOf<NoInfer<N>>, options?: HandlerOptions): Off;
  on(event: string, handler: unknown, options: HandlerOptions = {}): Off {
    return register(this.#core, event, handler as AnyHandler, options);
  }

  /** @internal `on` in two steps: this one checks and compiles, and the function that it gives puts the handler on the bus. */
  prepare(event: string, handler: unknown, options: HandlerOptions = {}): () => Off {
    return prepare(this.#core, event, handler as AnyHandler, options);
  }

  /** @internal Puts on and takes off many handlers. No event is dispatched in between. */
  batch(act: () => void): void {
    this.#core.batch(act);
  }

  /** Tells observers. Returns a promise only if one of them did; never throws, never rejects. */
  emit<const N extends EventName | (string & {})>(event: N & ToldName<N>, payload?: PayloadFor<N>): void | Promise<void>;
  emit(event: string, payload?: unknown): void | Promise<void> {
    const slot = this.#core.slots.get(event) ?? this.#core.slotToEmit(event);
    if (slot === undefined || slot.isIdle || this.#isTooDeep(event)) return;
    return observe(slot, payload, this.#depth);
  }

  /** As `emit`, but never waits: asynchronous handlers are followed and their failures reported. */
  emitSync<const N extends EventName | (string & {})>(event: N & ToldName<N>, payload?: PayloadFor<N>): void;
  emitSync(event: string, payload?: unknown): void {
    void this.emit(event, payload);
  }

  /**
   * Tells of an event that happened elsewhere, and gives the injections and reminders that its handlers leave, in place of the book. Verdicts
   * are too late and ignored. `isDecided`: the guards were asked, so only stage `observe` is told. Never throws or rejects.
   */
  tellObservers(event: EventName | (string & {}), payload?: unknown, isDecided = false): Effects | Promise<Effects> {
    const slot = this.#core.slotToEmit(event);
    if (slot === undefined || this.#isTooDeep(event)) return { injections: [], reminders: [] };
    return observeElsewhere(slot, payload, this.#depth, isDecided);
  }

  /** Puts a reminder from outside into the book; `false` where the bus has none. */
  addReminder(reminder: Reminder, session: SessionRef | undefined, event: string): boolean {
    return book(this.#core, reminder, { session, name: event });
  }

  /** Every non-null value the handlers return, in order. */
  async collect<const N extends EventName | (string & {})>(event: N & ToldName<N>, payload?: PayloadFor<N>): Promise<unknown[]>;
  async collect(event: string, payload?: unknown): Promise<unknown[]> {
    const slot = this.#core.slotToEmit(event);
    if (slot === undefined || this.#isTooDeep(event)) return [];
    return collect(slot, payload, this.#depth);
  }

  /** Asks the guards. Synchronous until one of them returns a promise. A plain `string` is checked at run time: it throws if it is not a gate. */
  decide<const N extends GateName | (string & {})>(
    event: N & DecidedName<N>,
    payload: PayloadFor<N>,
    options?: DecideOptions,
  ): Decision<PayloadFor<N>> | Promise<Decision<PayloadFor<N>>> {
    const slot = this.#core.slot(event);
    if (!slot.isGate) throw wrongKind(slot, "gate");
    if (this.#depth > MAX_DEPTH) return Promise.reject(tooDeep(event));
    const checked = options === undefined ? undefined : checkDecideOptions(options);
    return decide(slot, payload, this.#depth, checked) as Decision<PayloadFor<N>>;
  }

  /** Passes a value through the handlers: `{ value, injections, reminders, trail }`. */
  transform<const N extends TransformName | (string & {})>(
    event: N & TransformedName<N>,
    value: ValueOf<N>,
    context?: PayloadFor<N>,
  ): TransformResult<ValueOf<N>> | Promise<TransformResult<ValueOf<N>>> {
    const slot = this.#core.slot(event);
    if (!slot.isTransform) throw wrongKind(slot, "transform");
    if (this.#depth > MAX_DEPTH) return Promise.reject(tooDeep(event));
    return transform(slot, value, context, this.#depth) as TransformResult<ValueOf<N>>;
  }

  /** Runs a tool between its hooks: before → run → result → after, on every exit path. Never rejects. */
  runTool<T>(
    call: ToolPayload,
    run: (input: ToolCall["input"], signal: AbortSignal) => T | Promise<T>,
    options: RunToolOptions = {},
  ): Promise<ToolRun<T>> {
    const checked = checkRunToolOptions(options);
    if (this.#isTooDeep("tool:before")) return Promise.resolve(refusedRun(call, tooDeep("tool:before")));
    return toolRuns.use(
      ({ runTool }) => runTool(this.#core, this.#depth, call, run, checked) as Promise<ToolRun<T>>,
      (notLoaded) => refusedRun(call, notLoaded),
    );
  }

  /** A handle on one event, for hot paths. */
  event<N extends GateName>(event: N): GateHandle<N>;
  event<N extends TransformName>(event: N): TransformHandle<N>;
  event<N extends EventName>(event: N): EventHandle<N>;
  event<const N extends string>(event: CustomName<N> | Unknown<N>): EventHandle<N>;
  event(event: string): SlotHandle {
    if (this.#depth > MAX_DEPTH) throw tooDeep(event);
    return new SlotHandle(this.#core.slot(event), this.#depth);
  }

  /** Whether there is a handler; false on a bus that is off. */
  has(event: EventName | (string & {})): boolean {
    return !this.#core.isOff && (this.#core.slots.get(event)?.roster.handlers.length ?? this.#matching(event)) > 0;
  }

  /** How many handlers are registered, on one event or in all. */
  count(event?: EventName | (string & {})): number {
    return event === undefined ? this.#core.registrations.size : this.#matching(event);
  }

  /** The handlers that an event with this payload would reach, in the order they would run. Runs none of them. */
  matching(event: EventName | (string & {}), payload?: unknown, value?: unknown): HandlerInfo[] {
    const slot = this.#core.slot(event);
    return slot.roster.handlers.filter((registration) => wouldTake(registration, payload ?? {}, value)).map(({ info }) => info);
  }

  /** Every handler, in order of registration. */
  list(): HandlerInfo[] {
    return [...this.#core.registrations.values()].map(({ info }) => info);
  }

  /** The handlers of one owner, sorted by event and name. */
  handlersOf(owner: string): HandlerInfo[] {
    const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
    return this.list()
      .filter((row) => row.owner === owner)
      .sort((a, b) => byText(a.event, b.event) || byText(a.name, b.name));
  }

  /** Unregisters everything of an owner; returns how many that were. */
  offOwner(owner: string): number {
    if (typeof owner !== "string" || owner === "") throw new HookError("HL_BAD_OPTION", "offOwner takes the owner's name.");
    return this.#removeIf(({ parts }) => parts.owner === owner);
  }

  /**
   * Unregisters all handlers, or those of a category or an owner; returns how many. The sentinel stays: `setSentinel(null)` removes it. The guards of
   * a hub stay until its connection is closed.
   */
  clear(filter: ClearFilter = {}): number {
    const { category, owner } = checkClearFilter(filter);
    return this.#removeIf(
      ({ parts }) =>
        !parts.isSentinel &&
        parts.actor.kind !== "hub" &&
        (owner === undefined || parts.owner === owner) &&
        (category === undefined || isOfCategory(parts.event, category)),
    );
  }

  /** What each handler has done so far, or those that are meant. */
  stats(isMeant?: (handler: HandlerInfo) => boolean): HandlerStats[] {
    this.#core.settle();
    const registrations = [...this.#core.registrations.values()];
    const meant = isMeant === undefined ? registrations : registrations.filter(({ info }) => isMeant(info));
    return meant.map((registration) => registration.stats());
  }

  /** The approver, which answers when a guard asks. */
  setApprover(approver: Approver | null): Approver | undefined {
    const before = this.#core.approver;
    if (approver !== null && typeof approver !== "function") throw new HookError("HL_BAD_HANDLER", "setApprover takes a function or null.");
    this.#core.approver = approver ?? undefined;
    return before;
  }

  /** One replaceable guard of every gate that runs before all others. */
  setSentinel(handler: GateHandler<"tool:before"> | null, options: HandlerOptions = {}): void {
    const sentinel = handler === null ? undefined : createSentinel(this.#core, handler as AnyHandler, options);
    this.#removeIf(({ parts }) => parts.isSentinel);
    if (sentinel !== undefined) this.#core.add(sentinel);
  }

  /** Watches every dispatch: transcripts, sinks and the forwarder do. Returns how to stop. */
  tap(tap: Tap): () => void {
    if (typeof tap !== "object" || tap === null)
      throw new HookError("HL_BAD_HANDLER", "tap takes an object with called, returned or dispatched.");
    // An object of its own, so that the same tap can be put on twice and taken off once.
    const added: Tap = {
      called: (event, handler) => tap.called?.(event, handler),
      returned: (event, handler, call) => tap.returned?.(event, handler, call),
      dispatched: (event, dispatch) => tap.dispatched?.(event, dispatch),
    };
    if (this.#core.isOff) return () => {};
    this.#core.taps = [...this.#core.taps, added];
    this.#core.refreshAll();
    return () => {
      this.#core.taps = this.#core.taps.filter((other) => other !== added);
      this.#core.refreshAll();
    };
  }

  /** Tells `onError` of something that went wrong around the bus; never throws. */
  report(error: HookError): void {
    this.#core.report(error);
  }

  /** Where failures are reported. Default: one rate-limited line on stderr. */
  get onError(): ErrorListener {
    return this.#core.onError;
  }

  set onError(listener: ErrorListener) {
    if (typeof listener !== "function") throw new HookError("HL_BAD_HANDLER", "onError must be a function.");
    this.#core.onError = listener;
  }

  /** Handlers register here but are never called: by `HOOKLINE=0` in the environment, or `createBus({ enabled: false })`. */
  get isOff(): boolean {
    return this.#core.isOff;
  }

  /** The source of this bus in envelopes. */
  get source(): Source {
    return this.#core.source;
  }

  #isTooDeep(event: string): boolean {
    if (this.#depth <= MAX_DEPTH) return false;
    this.#core.report(tooDeep(event));
    return true;
  }

  #matching(event: string): number {
    const info = findEvent(event);
    if (info === undefined) return 0;
    return [...this.#core.registrations.values()].filter((registration) => covers(registration, info.name, info.spec.kind === "gate"))
      .length;
  }

  #removeIf(test: (registration: Registration) => boolean): number {
    let removed = 0;
    this.#core.batch(() => {
      for (const registration of [...this.#core.registrations.values()])
        if (test(registration) && this.#core.remove(registration)) removed++;
    });
    return removed;
  }
}

/** Makes a bus. `createBus({ source: "my-agent" })` is all most agents need. */
export function createBus(given: BusOptions = {}): Bus {
  const options = checkBusOptions(given);
  const core = new BusCore(options, (depth) => new Bus(core, depth));
  const bus = new Bus(core, 0);
  options.reminders?.attach?.((event, payload) => bus.emitSync(event, payload));
  const trace = createTrace(options.trace);
  if (trace !== undefined) bus.tap(trace);
  if (core.isOff && options.enabled === undefined) sayOff(options, core);
  return bus;
}

let isSaid = false;

/** To every listener of its own, and on stderr once however many buses there are. */
function sayOff({ onError }: BusOptions, core: BusCore): void {
  if (onError === undefined && isSaid) return;
  isSaid ||= onError === undefined;
  core.report(
    new HookError(
      "HL_OFF",
      "HOOKLINE in the environment switches Hookline off in this process: no handler is called. Unset it to switch it on.",
    ),
  );
}

/** A pattern belongs to a category when every catalogue event it matches does. */
function isOfCategory(event: string, category: Category): boolean {
  if (!isPattern(event)) return findEvent(event)?.spec.category === category;
  const matched = Object.keys(catalog).filter((name) => patternMatches(event, name));
  if (matched.length === 0) return findEvent(event.replace("*", "x"))?.spec.category === category;
  return matched.every((name) => catalog[name as CatalogName].category === category);
}

function tooDeep(event: string): HookError {
  return new HookError(
    "HL_DEPTH",
    `"${event}" was dispatched more than ${MAX_DEPTH} events deep: handlers are calling each other in a circle.`,
    { event },
  );
}

/** A matcher that throws makes its handler fail, so the handler is concerned. */
function wouldTake(registration: Registration, payload: unknown, value: unknown): boolean {
  try {
    return registration.predicate === undefined || registration.predicate(payload, value);
  } catch {
    return true;
  }
}

import type { HookError } from "../catalog/errors.js";
import { type EventInfo, findOne, patternMatches, resolveEvent } from "../catalog/names.js";
import { nativeRegex, type RegexEngine } from "../match/compile.js";
import type { Bus } from "./bus.js";
import { isSwitchedOff } from "./environment.js";
import { createIdSource, type IdSource } from "./event-id.js";
import { followQuietly } from "./promises.js";
import { inOrder, type Registration } from "./registration.js";
import { createStderrReporter, type ErrorListener } from "./reporter.js";
import { Slot } from "./slot.js";
import type { Approver, BusOptions, ReminderStore, Source, Tap } from "./types.js";

/** Slots made by emitting names of an open namespace; past this many the unused ones are let go. */
const MAX_PASSING_SLOTS = 1_000;

/** The state of one bus, shared by its nested views. */
export class BusCore {
  readonly slots = new Map<string, Slot>();
  readonly registrations = new Map<number, Registration>();
  readonly options: BusOptions;
  readonly reminders: ReminderStore | undefined;
  readonly regex: RegexEngine;
  readonly nested: (depth: number) => Bus;
  /** No slot ever gets a handler, so every dispatch ends as if there were no handlers. */
  readonly isOff: boolean;
  taps: readonly Tap[] = [];
  approver: Approver | undefined;
  onError: ErrorListener;
  nextId = 1;
  /** Answers of `again` in a row, per session. */
  readonly agains = new Map<string, number>();
  readonly #given: Source;
  #source: Source | undefined;
  #ids: IdSource | undefined;
  readonly #unknown = new Set<string>();
  #passing = 0;
  /** How many handlers have a name. */
  readonly #names = new Map<string, number>();
  /** What a batch has to fill at its end. */
  #waiting: Set<Slot> | undefined;

  constructor(options: BusOptions, nested: (depth: number) => Bus) {
    this.options = options;
    this.nested = nested;
    this.isOff = !(options.enabled ?? !isSwitchedOff("HOOKLINE"));
    this.reminders = options.reminders;
    this.regex = options.regex ?? nativeRegex;
    this.onError = options.onError ?? createStderrReporter();
    const source = typeof options.source === "string" ? { app: options.source } : options.source;
    this.#given = { app: "app", ...source };
    if (source?.instance !== undefined) this.#ids = createIdSource(source.instance);
  }

  identify(): { id: string; at: number } {
    const at = Date.now();
    return { id: this.#idSource().next(at), at };
  }

  get source(): Source {
    this.#source ??= { ...this.#given, instance: this.#idSource().instance };
    return this.#source;
  }

  /** Made at first use: a worker has no random numbers while its modules load, and that is when most buses are made. */
  #idSource(): IdSource {
    this.#ids ??= createIdSource();
    return this.#ids;
  }

  /** Tells the error listener; whatever that does, the dispatch goes on. */
  report(error: HookError): void {
    try {
      followQuietly(this.onError(error));
    } catch {
      // There is no other place to report a listener that throws.
    }
  }

  /** The slot of a name in any spelling; throws for an unknown one. */
  slot(name: string): Slot {
    return this.slots.get(name) ?? this.#open(name, resolveEvent(name));
  }

  /** As `slot`, for publishers: an unknown name is reported once and goes nowhere. */
  slotToEmit(name: string): Slot | undefined {
    const slot = this.slots.get(name);
    if (slot !== undefined) return slot;
    const info = findOne(name);
    if (info !== undefined) return this.#open(name, info);
    this.#reportUnknown(name);
    return undefined;
  }

  remove(registration: Registration): boolean {
    if (registration.isRemoved) return false;
    registration.isRemoved = true;
    registration.release();
    this.registrations.delete(registration.parts.id);
    this.#countName(registration, -1);
    this.#refreshFor(registration);
    return true;
  }

  add(registration: Registration): void {
    this.registrations.set(registration.parts.id, registration);
    this.#countName(registration, 1);
    this.#refreshFor(registration);
  }

  /** Whether an event has a handler of this owner with this name. */
  isTaken(parts: NamedParts): boolean {
    return this.#names.has(keyOf(parts));
  }

  /** Sorts the handlers of each event once, after all that is put on and taken off in between. */
  batch(act: () => void): void {
    if (this.#waiting !== undefined) return act();
    const waiting = new Set<Slot>();
    this.#waiting = waiting;
    try {
      act();
    } finally {
      this.#waiting = undefined;
      for (const slot of waiting) this.#fill(slot);
    }
  }

  #countName({ parts }: Registration, by: 1 | -1): void {
    const key = keyOf(parts);
    const count = (this.#names.get(key) ?? 0) + by;
    if (count > 0) this.#names.set(key, count);
    else this.#names.delete(key);
  }

  refreshAll(): void {
    for (const slot of new Set(this.slots.values())) this.#fill(slot);
  }

  /** A handler has become special or is so no longer: its events may have to count it apart. */
  reclassify(registration: Registration): void {
    for (const slot of this.#slotsOf(registration)) slot.classify();
  }

  /** Brings the counters of all handlers up to date. */
  settle(): void {
    for (const slot of this.slots.values()) slot.settle();
  }

  #refreshFor(registration: Registration): void {
    for (const slot of this.#slotsOf(registration)) {
      if (this.#waiting === undefined) this.#fill(slot);
      else this.#waiting.add(slot);
    }
  }

  #slotsOf(registration: Registration): Iterable<Slot> {
    const { parts } = registration;
    if (!parts.isPattern) return [this.slot(parts.event)];
    return [...new Set(this.slots.values())].filter((slot) => covers(registration, slot.name, slot.isGate));
  }

  #open(name: string, info: EventInfo): Slot {
    const known = this.slots.get(info.name);
    if (known !== undefined) {
      this.slots.set(name, known);
      return known;
    }
    if (++this.#passing > MAX_PASSING_SLOTS) this.#dropPassing();
    const slot = new Slot(info, this);
    this.#fill(slot);
    this.slots.set(info.name, slot);
    if (name !== info.name) this.slots.set(name, slot);
    return slot;
  }

  #dropPassing(): void {
    this.#passing = 0;
    this.settle();
    for (const [name, slot] of this.slots)
      if (!slot.isPinned && slot.roster.handlers.every(({ parts }) => parts.isPattern)) this.slots.delete(name);
  }

  #fill(slot: Slot): void {
    if (this.isOff) return;
    const handlers: Registration[] = [];
    for (const registration of this.registrations.values()) if (covers(registration, slot.name, slot.isGate)) handlers.push(registration);
    slot.fill(handlers.sort(inOrder(slot.isGate)));
  }

  #reportUnknown(name: string): void {
    if (this.#unknown.has(name) || this.#unknown.size >= MAX_PASSING_SLOTS) return;
    this.#unknown.add(name);
    try {
      resolveEvent(name);
    } catch (error) {
      this.report(error as HookError);
    }
  }
}

type NamedParts = Pick<Registration["parts"], "event" | "name" | "owner">;

function keyOf({ event, name, owner }: NamedParts): string {
  return JSON.stringify([event, name, owner]);
}

/** Whether a registration is for this event; the sentinel is for all gates. */
export function covers({ parts }: Registration, name: string, isGate: boolean): boolean {
  if (parts.isSentinel) return isGate;
  return parts.isPattern ? patternMatches(parts.event, name) : parts.event === name;
}

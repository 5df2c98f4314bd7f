import type { Bus } from "../bus/bus.js";
import type { HookEvent, TapDispatch } from "../bus/types.js";
import { catalog, type OutcomeKind } from "../catalog/events.js";
import { block, inject, type Outcome, remind } from "../catalog/outcomes.js";
import { readEffects } from "../wire/effects.js";
import type { Frame } from "../wire/frames.js";
import type { EffectsFrame } from "../wire/hub-protocol.js";
import { freeName } from "./free-name.js";

/** Where an agent takes text for its model. Not before a compaction or a finished answer: what is said there is not kept, or comes too late. */
const boundaries = [
  "session:start",
  "turn:before",
  "loop:checkpoint",
  "prompt:submit",
  "prompt:build",
  "llm:before",
  "tool:before",
  "tool:result",
] as const;

/** Where a block stops the agent before it does what comes next. */
const interruptible: ReadonlySet<string> = new Set(["loop:checkpoint", "tool:before"]);
/** At the start of a turn nothing can be interrupted, so an interrupt is delivered as ordinary text. */
const beginnings: ReadonlySet<string> = new Set(["session:start", "prompt:submit"]);

/** What may wait for sessions that never come to a boundary. */
const MAX_WAITING = 1_000;
/** Frames that came before, so that one that is sent again is told once. */
const MAX_KNOWN = 10_000;
/** Decisions that are under way at a time. */
const MAX_SAID = 100;

/**
 * What the hub's observers and operators leave for the model. It is told at the session's next boundary, with the decision or value that the
 * agent gets there; an interrupt blocks the next tool call or checkpoint. The bus has handlers for it only while something waits.
 */
export class HubEffects {
  readonly #bus: EffectsBus;
  readonly #delivered: (ids: readonly string[]) => void;
  readonly #known = new Set<string>();
  /** What is said in decisions that are under way, by who says it and the event's id. */
  readonly #said = new Map<string, Said>();
  #waiting: readonly EffectsFrame[] = [];
  #offs: readonly (() => void)[] = [];

  /** `delivered`: hears the ids of what the agent has got. */
  constructor(bus: EffectsBus, delivered: (ids: readonly string[]) => void) {
    this.#bus = bus;
    this.#delivered = delivered;
  }

  hear(frame: Frame): void {
    const effects = readEffects(frame);
    if (effects === undefined) return;
    if (this.#known.has(effects.id)) return this.#repeat(effects.id);
    const [oldest] = this.#known;
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(effects.id);
    const left = this.#book(effects);
    if (isEmpty(left)) this.#delivered([left.id]);
    else this.#wait([...this.#waiting, left].slice(-MAX_WAITING));
  }

  /** The hub has not heard that it was told: the connection was lost meanwhile. */
  #repeat(id: string): void {
    const isOpen = [...this.#waiting, ...[...this.#said.values()].flatMap(({ effects }) => effects)].some((effects) => effects.id === id);
    if (!isOpen) this.#delivered([id]);
  }

  /** A dispatch is over. Where the agent gets no decision and no value, the effects have not reached it: they wait again. */
  over(event: HookEvent, { decision, result }: TapDispatch): void {
    // An event has no id until one is read.
    if (this.#said.size === 0) return;
    const said = [OPERATOR, HUB].flatMap((name) => this.#takeSaid(`${name} ${event.id}`));
    if (said.length === 0) return;
    if (decision === undefined && result === undefined) return this.#wait([...said, ...this.#waiting]);
    const isLeft = ({ id }: EffectsFrame): boolean => this.#waiting.some((effects) => effects.id === id);
    const done = said.filter((effects) => !isLeft(effects));
    if (done.length > 0) this.#delivered(done.map(({ id }) => id));
  }

  close(): void {
    this.#said.clear();
    this.#wait([]);
  }

  #takeSaid(key: string): readonly EffectsFrame[] {
    const said = this.#said.get(key)?.effects ?? [];
    this.#said.delete(key);
    return said;
  }

  /** Reminders go into the book at once, if there is one. */
  #book(effects: EffectsFrame): EffectsFrame {
    const { reminders = [], session, by = "hub", event = "session:steer" } = effects;
    return { ...effects, reminders: reminders.filter((spec) => !this.#bus.addReminder({ spec, by }, session, event)) };
  }

  #wait(waiting: readonly EffectsFrame[]): void {
    this.#waiting = waiting;
    if (waiting.length > 0) return this.#listen();
    for (const off of this.#offs) off();
    this.#offs = [];
  }

  /** Registered again each time: a host that cleared its bus has cleared ours with it. */
  #listen(): void {
    for (const off of this.#offs) off();
    this.#offs = [];
    const isInterrupting = this.#waiting.some(({ interrupt }) => interrupt);
    for (const event of boundaries) {
      if (isInterrupting && interruptible.has(event)) this.#on(event, OPERATOR);
      this.#on(event, HUB);
    }
  }

  #on(event: string, name: string): void {
    const tell = (at: HookEvent) => this.#once(name, at);
    const off = this.#bus.on(event, tell, { ...OPTIONS, name: freeName(this.#bus, event, name) });
    this.#offs = [...this.#offs, off];
  }

  /** A guard that looks again takes back what it said: within one decision it says the same. */
  #once(name: string, at: HookEvent): Outcomes | undefined {
    const key = `${name} ${at.id}`;
    const before = this.#said.get(key);
    if (before !== undefined) return before.outcomes;
    const { said, left } = this.#split(name, at);
    if (said.length === 0) return undefined;
    const outcomes = name === OPERATOR ? [block(wordsIn(said).join("\n\n"))] : outcomesOf(said);
    const [oldest] = this.#said.keys();
    const forgotten = this.#said.size >= MAX_SAID && oldest !== undefined ? this.#takeSaid(oldest) : [];
    this.#said.set(key, { outcomes, effects: said });
    this.#wait([...forgotten, ...left]);
    return outcomes;
  }

  /** What is said at an event, and what goes on waiting: an event may take text and no reminders. */
  #split(name: string, at: HookEvent): { readonly said: readonly EffectsFrame[]; readonly left: readonly EffectsFrame[] } {
    const allowed: readonly string[] = catalog[at.name as (typeof boundaries)[number]].outcomes;
    const said: EffectsFrame[] = [];
    const left = this.#waiting.flatMap((effects) => {
      const isInterrupt = effects.interrupt === true && !beginnings.has(at.name);
      if (!isFor(effects, at.session) || isInterrupt !== (name === OPERATOR)) return [effects];
      const part = (takes: (kind: OutcomeKind) => boolean): EffectsFrame[] => {
        const { injections = [], reminders = [] } = effects;
        const some = { ...effects, injections: takes("inject") ? injections : [], reminders: takes("remind") ? reminders : [] };
        return isEmpty(some) ? [] : [some];
      };
      said.push(...part((kind) => allowed.includes(kind)));
      return part((kind) => !allowed.includes(kind));
    });
    return { said, left };
  }
}

type EffectsBus = Pick<Bus, "on" | "list" | "addReminder">;
type Outcomes = readonly Outcome<OutcomeKind>[];

interface Said {
  readonly outcomes: Outcomes;
  readonly effects: readonly EffectsFrame[];
}

/** The names in trails: a call that was interrupted was denied by the operator. */
const HUB = "hub effects";
const OPERATOR = "operator";
// Last of all: what a guard before it denies does not go to the model, and nor would this.
const OPTIONS = { onFailure: "open", priority: Number.MIN_SAFE_INTEGER } as const;

/** A person may still say no to the call; the model is told all the same. */
function outcomesOf(said: readonly EffectsFrame[]): Outcomes {
  const reminders = said.flatMap((effects) => effects.reminders ?? []);
  return [...wordsIn(said).map((text) => inject(text, { keep: true })), ...reminders.map((spec) => remind(spec, { keep: true }))];
}

function wordsIn(said: readonly EffectsFrame[]): readonly string[] {
  return said.flatMap(({ injections = [] }) => injections);
}

function isFor({ session }: EffectsFrame, at: { readonly id: string } | undefined): boolean {
  return session?.id === at?.id;
}

function isEmpty({ injections = [], reminders = [] }: EffectsFrame): boolean {
  return injections.length + reminders.length === 0;
}

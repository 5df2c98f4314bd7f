import type { Bus } from "../bus/bus.js";
import type { HookEvent } from "../bus/types.js";
import { catalog, type OutcomeKind } from "../catalog/events.js";
import { block, inject, type Outcome, remind } from "../catalog/outcomes.js";
import type { Frame } from "../sinks/unix-socket/frames.js";
import type { LineEffects } from "./line-protocol.js";
import { readEffects } from "./remote-verdict.js";

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
/** Where a turn begins, nothing is under way that could be interrupted: the words are told as any others. */
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
  readonly #bus: Pick<Bus, "on" | "addReminder">;
  readonly #delivered: (ids: readonly string[]) => void;
  readonly #known = new Set<string>();
  /** By who told it and the id of the event at whose boundary. */
  readonly #said = new Map<string, Outcomes>();
  #waiting: readonly LineEffects[] = [];
  #offs: readonly (() => void)[] = [];

  /** `delivered`: hears the ids of what the agent has got. */
  constructor(bus: Pick<Bus, "on" | "addReminder">, delivered: (ids: readonly string[]) => void) {
    this.#bus = bus;
    this.#delivered = delivered;
  }

  hear(frame: Frame): void {
    const effects = readEffects(frame);
    if (effects === undefined || this.#known.has(effects.id)) return;
    const [oldest] = this.#known;
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(effects.id);
    this.#wait([...this.#waiting, this.#book(effects)].slice(-MAX_WAITING));
  }

  close(): void {
    this.#wait([]);
  }

  /** Reminders go into the book at once, if there is one. */
  #book(effects: LineEffects): LineEffects {
    const left = (effects.reminders ?? []).filter((spec) => !this.#bus.addReminder({ spec, by: "hub" }, effects.session));
    return { ...effects, reminders: left };
  }

  #wait(waiting: readonly LineEffects[]): void {
    const done = waiting.filter(isEmpty);
    this.#waiting = waiting.filter((effects) => !isEmpty(effects));
    if (done.length > 0) this.#delivered(done.map(({ id }) => id));
    if (this.#waiting.length > 0) return this.#listen();
    for (const off of this.#offs) off();
    this.#offs = [];
  }

  /** Anew each time: a host that cleared its bus has cleared ours with it. */
  #listen(): void {
    for (const off of this.#offs) off();
    this.#offs = boundaries.flatMap((event) => [
      ...(interruptible.has(event) && this.#waiting.some(({ interrupt }) => interrupt) ? [this.#on(event, OPERATOR)] : []),
      this.#on(event, HUB),
    ]);
  }

  #on(event: string, name: string): () => void {
    const tell = (at: HookEvent) => this.#once(name, at);
    return this.#bus.on(event as "tool:before", tell as never, { ...OPTIONS, name });
  }

  /** A guard that looks again takes back what it said: within one decision it says the same. */
  #once(name: string, at: HookEvent): Outcomes | undefined {
    const key = `${name} ${at.id}`;
    const said = this.#said.get(key);
    if (said !== undefined) return said;
    const outcomes = name === OPERATOR ? this.#interrupt(at) : this.#tell(at);
    if (outcomes === undefined) return undefined;
    const [oldest] = this.#said.keys();
    if (this.#said.size >= MAX_SAID && oldest !== undefined) this.#said.delete(oldest);
    this.#said.set(key, outcomes);
    return outcomes;
  }

  #interrupt({ session }: HookEvent): Outcomes | undefined {
    const meant = this.#waiting.filter((effects) => effects.interrupt === true && isFor(effects, session));
    if (meant.length === 0) return undefined;
    const words = meant.flatMap(({ injections = [] }) => injections);
    this.#wait(this.#waiting.map((effects) => (meant.includes(effects) ? { ...effects, injections: [] } : effects)));
    return [block(words.join("\n\n"))];
  }

  #tell({ name, session }: HookEvent): Outcomes | undefined {
    const allowed: readonly string[] = catalog[name as (typeof boundaries)[number]].outcomes;
    const outcomes: Outcome<OutcomeKind>[] = [];
    const left = this.#waiting.map((effects): LineEffects => {
      if (!isFor(effects, session) || (effects.interrupt === true && !beginnings.has(name))) return effects;
      // A person may still say no to the call; the model is told all the same.
      if (allowed.includes("inject")) outcomes.push(...(effects.injections ?? []).map((text) => inject(text, { keep: true })));
      if (allowed.includes("remind")) outcomes.push(...(effects.reminders ?? []).map((spec) => remind(spec, { keep: true })));
      return { ...effects, ...(allowed.includes("inject") && { injections: [] }), ...(allowed.includes("remind") && { reminders: [] }) };
    });
    if (outcomes.length === 0) return undefined;
    this.#wait(left);
    return outcomes;
  }
}

type Outcomes = readonly Outcome<OutcomeKind>[];

/** The names in trails: a call that was interrupted was denied by the operator. */
const HUB = "hub effects";
const OPERATOR = "operator";
// Last of all: what a guard before it denies does not go to the model, and nor would this.
const OPTIONS = { onFailure: "open", priority: Number.MIN_SAFE_INTEGER } as const;

function isFor({ session }: LineEffects, at: { readonly id: string } | undefined): boolean {
  return session === undefined || session.id === at?.id;
}

function isEmpty({ injections = [], reminders = [] }: LineEffects): boolean {
  return injections.length + reminders.length === 0;
}

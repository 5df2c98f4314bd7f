import type { Bus } from "../bus/bus.js";
import type { HookEvent } from "../bus/types.js";
import { catalog, type OutcomeKind } from "../catalog/events.js";
import { inject, type Outcome, remind } from "../catalog/outcomes.js";
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

/** What may wait for sessions that never come to a boundary. */
const MAX_WAITING = 1_000;
/** Frames that came before, so that one that is sent again is told once. */
const MAX_KNOWN = 10_000;
/** Decisions that are under way at a time. */
const MAX_SAID = 100;

/**
 * What the hub's observers and operators leave for the model. It is told at the session's next boundary, with the decision or value that the
 * agent gets there. The bus has handlers for it only while something waits.
 */
export class HubEffects {
  readonly #bus: Pick<Bus, "on" | "addReminder">;
  readonly #delivered: (ids: readonly string[]) => void;
  readonly #known = new Set<string>();
  /** By the id of the event at whose boundary it was told. */
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
    this.#offs = boundaries.map((event) => this.#bus.on(event, ((at: HookEvent) => this.#tell(at)) as never, OPTIONS));
  }

  #tell({ id, name, session }: HookEvent): Outcomes | undefined {
    // A guard that looks again takes back what it said: within one decision it says the same.
    const said = this.#said.get(id);
    if (said !== undefined) return said;
    const allowed: readonly string[] = catalog[name as (typeof boundaries)[number]].outcomes;
    const outcomes: Outcome<OutcomeKind>[] = [];
    const left = this.#waiting.map((effects): LineEffects => {
      if (effects.session !== undefined && effects.session.id !== session?.id) return effects;
      // A person may still say no to the call; the model is told all the same.
      if (allowed.includes("inject")) outcomes.push(...(effects.injections ?? []).map((text) => inject(text, { keep: true })));
      if (allowed.includes("remind")) outcomes.push(...(effects.reminders ?? []).map((spec) => remind(spec, { keep: true })));
      return { ...effects, ...(allowed.includes("inject") && { injections: [] }), ...(allowed.includes("remind") && { reminders: [] }) };
    });
    if (outcomes.length === 0) return undefined;
    const [oldest] = this.#said.keys();
    if (this.#said.size >= MAX_SAID && oldest !== undefined) this.#said.delete(oldest);
    this.#said.set(id, outcomes);
    this.#wait(left);
    return outcomes;
  }
}

type Outcomes = readonly Outcome<OutcomeKind>[];

// Last of all: what a guard before it denies does not go to the model, and nor would this.
const OPTIONS = { name: "hub effects", onFailure: "open", priority: Number.MIN_SAFE_INTEGER } as const;

function isEmpty({ injections = [], reminders = [] }: LineEffects): boolean {
  return injections.length + reminders.length === 0;
}

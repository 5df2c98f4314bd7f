import type { Bus } from "../bus/bus.js";
import type { FailureMode, HookEvent } from "../bus/types.js";
import { families } from "../catalog/events.js";
import { findEvent, resolveEvent } from "../catalog/names.js";
import { block } from "../catalog/outcomes.js";
import type { GateQuestions } from "./gate-questions.js";
import type { RemoteGate } from "./line-protocol.js";
import type { RemoteGateOptions } from "./options.js";

/** For gates the host named itself, which no hub has described yet. */
const DEFAULT_TIMEOUT_MS = 5_000;
// The bus looks at its deadlines every 100 ms; ours must come first, for it says who did not answer.
const MARGIN_MS = 1_000;
/** How long the first calls wait for a hub that is there to say which gates it has. It takes some 10 ms. */
const ARRIVAL_MS = 1_000;
/** The bus keeps the process alive for as long as a handler has a time limit that is not over. */
const MAX_WAIT_MS = 600_000;
/** The handler that asks while the hub has not said which gates it has. */
const ARRIVING = "hub-arriving";
const MODES: readonly unknown[] = ["open", "closed", "abort"];

interface Registered extends RemoteGate {
  /** `hub`, unless the host has a handler of that name there. */
  readonly name: string;
  readonly off: () => void;
}

/** One handler on the bus for each gate the hub has guards for. What was announced stays while the hub is away. */
export class RemoteGates {
  readonly #bus: Pick<Bus, "on" | "list">;
  readonly #options: RemoteGateOptions;
  readonly #questions: GateQuestions;
  readonly #always: readonly string[];
  readonly #registered = new Map<string, Registered>();
  #arrival: (() => void) | undefined;

  constructor(bus: Pick<Bus, "on" | "list">, options: RemoteGateOptions, questions: GateQuestions) {
    this.#bus = bus;
    this.#options = options;
    this.#questions = questions;
    this.#always = (options.events ?? []).map((event) => resolveEvent(event).name);
    this.#take([]);
  }

  /** What the hub says now; anything that is no gate is left out. */
  announce(given: unknown): void {
    this.#take(given);
    this.#arrived();
  }

  #take(given: unknown): void {
    const gates = new Map(this.#always.map((event) => [event, this.#settle({ event })]));
    for (const gate of Array.isArray(given) ? given.flatMap(readGate) : []) gates.set(gate.event, this.#settle(gate));
    for (const [event, { off }] of this.#registered) if (!gates.has(event) && this.#registered.delete(event)) off();
    for (const gate of gates.values()) this.#register(gate);
  }

  /**
   * There is a hub, and it has not said yet which gates it has: for a moment every gate waits for that, so that the first call of a process
   * does not pass because it was a few milliseconds early.
   */
  expectHub(): void {
    if (this.#arrival !== undefined) return;
    let settle = (): void => {};
    const arrived = new Promise<void>((resolve) => (settle = resolve));
    const handler = (event: HookEvent) =>
      isGate(event.name) && this.#gateFor(event.name) === undefined ? arrived.then(() => this.#askLate(event)) : undefined;
    const off = this.#bus.on("*", handler as never, { name: ARRIVING, stage: "guard", timeoutMs: MAX_WAIT_MS });
    const timer = setTimeout(() => this.#arrived(), ARRIVAL_MS).unref();
    this.#arrival = () => {
      clearTimeout(timer);
      off();
      settle();
    };
  }

  /** The hub has spoken, or has had its time. */
  #arrived(): void {
    this.#arrival?.();
    this.#arrival = () => {};
  }

  /** The one that covers an event, by its name or as one of a family. */
  #gateFor(name: string): Registered | undefined {
    const families = [...name.matchAll(/:/g)].map(({ index }) => `${name.slice(0, index)}:*`);
    for (const covering of [name, ...families]) {
      const gate = this.#registered.get(covering);
      if (gate !== undefined) return gate;
    }
    return undefined;
  }

  /** A question that began before the hub's own handler was registered, and so is not asked by it. */
  async #askLate(event: HookEvent): Promise<unknown> {
    const gate = this.#gateFor(event.name);
    if (gate === undefined) return undefined;
    try {
      return await this.#questions.ask(event, gate.timeoutMs, ARRIVING);
    } catch (error) {
      if (gate.onFailure === "open") return undefined;
      return block(error instanceof Error ? error.message : "The hub did not answer.");
    }
  }

  close(): void {
    this.#arrived();
    for (const { off } of this.#registered.values()) off();
    this.#registered.clear();
  }

  #settle({ event, timeoutMs, onFailure }: Partial<RemoteGate> & { readonly event: string }): RemoteGate {
    return {
      event,
      timeoutMs: this.#options.timeoutMs ?? timeoutMs ?? DEFAULT_TIMEOUT_MS,
      onFailure: this.#options.onFailure ?? onFailure ?? "closed",
    };
  }

  #register({ event, timeoutMs, onFailure }: RemoteGate): void {
    const known = this.#registered.get(event);
    // A host that cleared its bus has cleared ours with it; a guard that is still announced comes back.
    if (known?.timeoutMs === timeoutMs && known.onFailure === onFailure && this.#namesOn(event).has(known.name)) return;
    known?.off();
    const names = this.#namesOn(event);
    let name = "hub";
    for (let number = 2; names.has(name); number++) name = `hub-${number}`;
    const handler = (asked: HookEvent) => this.#questions.ask(asked, timeoutMs, name);
    const off = this.#bus.on(event, handler as never, { name, stage: "guard", onFailure, timeoutMs: timeoutMs + MARGIN_MS });
    this.#registered.set(event, { event, timeoutMs, onFailure, name, off });
  }

  #namesOn(event: string): ReadonlySet<string> {
    const rows = this.#bus.list().filter((row) => row.event === event && row.owner === undefined);
    return new Set(rows.map(({ name }) => name));
  }
}

function isGate(name: string): boolean {
  return findEvent(name)?.spec.kind === "gate";
}

function readGate(value: unknown): RemoteGate[] {
  const { event, timeoutMs, onFailure } = (value ?? {}) as { readonly [key in keyof RemoteGate]?: unknown };
  const name = typeof event === "string" ? gateNamed(event) : undefined;
  if (name === undefined) return [];
  const limit = typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs < 2 ** 31 - MARGIN_MS ? timeoutMs : DEFAULT_TIMEOUT_MS;
  return [{ event: name, timeoutMs: limit, onFailure: MODES.includes(onFailure) ? (onFailure as FailureMode) : "closed" }];
}

/** A gate's canonical name, or the pattern of a family of gates: nobody can list every command there is. */
function gateNamed(event: string): string | undefined {
  const [namespace = "", ...rest] = event.split(":");
  if (rest.at(-1) === "*")
    return Object.hasOwn(families, namespace) && (families as Families)[namespace]?.kind === "gate" ? event : undefined;
  const known = findEvent(event);
  return known?.spec.kind === "gate" ? known.name : undefined;
}

type Families = { readonly [namespace: string]: { readonly kind: string } };

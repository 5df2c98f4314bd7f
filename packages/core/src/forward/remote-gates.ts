import type { Bus } from "../bus/bus.js";
import { ANSWER_MARGIN_MS, DEFAULT_HANDLER_TIMEOUT_MS } from "../bus/time-limits.js";
import type { FailureMode, HookEvent } from "../bus/types.js";
import { catalog, families } from "../catalog/events.js";
import { findEvent, resolveEvent } from "../catalog/names.js";
import type { RemoteGate } from "../wire/hub-protocol.js";
import { freeName } from "./free-name.js";
import type { GateQuestions } from "./gate-questions.js";
import type { Lease } from "./lease.js";
import type { RemoteGateOptions } from "./options.js";
import type { HubSighting } from "./watch-hub-file.js";

const MODES: readonly unknown[] = ["open", "closed", "abort"];

/** Every gate there is, and a pattern for each family of gates: no list can hold the name of every command. */
export const everyGate: readonly string[] = [
  ...Object.entries(catalog).flatMap(([name, { kind }]) => (kind === "gate" ? [name] : [])),
  ...Object.entries(families).flatMap(([namespace, { kind }]) => (kind === "gate" ? [`${namespace}:*`] : [])),
];

/** Every transform. */
export const everyTransform: readonly string[] = Object.entries(catalog).flatMap(([name, { kind }]) =>
  kind === "transform" ? [name] : [],
);

interface Registered extends RemoteGate {
  /** `hub`, unless the host has a handler of that name there. */
  readonly name: string;
  readonly off: () => void;
}

export interface RemoteGatesParts {
  readonly bus: Pick<Bus, "on" | "list">;
  readonly options: RemoteGateOptions;
  readonly questions: GateQuestions;
  readonly lease: Lease;
  /** Until a hub has been there, nothing passes. */
  readonly isRequired: boolean;
}

/**
 * One handler on the bus for each gate the hub has guards for, and for each transform that it has handlers for. What the hub announced stays while it is away. What is only written beside
 * its `hub.json` counts like an announcement until the hub itself has spoken or the files are gone.
 */
export class RemoteGates {
  readonly #bus: Pick<Bus, "on" | "list">;
  readonly #options: RemoteGateOptions;
  readonly #questions: GateQuestions;
  readonly #lease: Lease;
  readonly #always: readonly string[];
  readonly #registered = new Map<string, Registered>();
  #announced: readonly RemoteGate[] = [];
  #kept: readonly RemoteGate[] = [];
  #isClosed = false;
  /** No hub has been there, and the program wants one: nothing passes. */
  #isMissing: boolean;

  constructor({ bus, options, questions, lease, isRequired }: RemoteGatesParts) {
    this.#lease = lease;
    this.#bus = bus;
    this.#options = options;
    this.#isMissing = isRequired;
    this.#questions = questions;
    this.#always = (options.events ?? []).map((event) => resolveEvent(event).name);
    this.#update();
  }

  /** What the hub says now; anything that it cannot be asked about is left out. */
  announce(given: unknown): void {
    this.#isMissing = false;
    this.#announced = Array.isArray(given) ? given.flatMap(readGate) : [];
    this.#kept = [];
    this.#update();
  }

  /**
   * What the folder says, while no hub has proved itself. A `hub.json` without gates that can be believed closes every gate and withholds
   * every value: what the hub guards is not known.
   */
  keep({ hub, gates }: HubSighting): void {
    const isNothingThere = hub.state === "none" && gates.state === "none";
    if (gates.state === "found") this.#kept = gates.file.gates.flatMap(readGate);
    else this.#kept = isNothingThere ? [] : everything;
    this.#update();
  }

  close(): void {
    this.#isClosed = true;
    for (const { off } of this.#registered.values()) off();
    this.#registered.clear();
  }

  #update(): void {
    if (this.#isClosed) return;
    const gates = new Map(this.#always.map((event) => [event, this.#settle({ event })]));
    // The newest word last: files that are looked at now are those of a hub that came after the one that announced.
    for (const gate of [...this.#announced, ...this.#kept]) gates.set(gate.event, this.#settle(gate));
    // Whatever the options say of a hub that does not answer: none has been there.
    if (this.#isMissing) for (const gate of everything) gates.set(gate.event, { ...this.#settle(gate), onFailure: "closed" });
    for (const [event, { off }] of this.#registered) if (!gates.has(event) && this.#registered.delete(event)) off();
    for (const gate of gates.values()) this.#register(gate);
  }

  /** Whether a gate is closed by the files alone, so that it opens when they go. */
  #isOnlyKept(event: string): boolean {
    return !this.#isMissing && !this.#always.includes(event) && !this.#announced.some((gate) => gate.event === event);
  }

  #settle({ event, timeoutMs, onFailure }: Partial<RemoteGate> & { readonly event: string }): RemoteGate {
    return {
      event,
      timeoutMs: this.#options.timeoutMs ?? timeoutMs ?? DEFAULT_HANDLER_TIMEOUT_MS,
      onFailure: this.#options.onFailure ?? onFailure ?? "closed",
    };
  }

  #register({ event, timeoutMs, onFailure }: RemoteGate): void {
    const known = this.#registered.get(event);
    if (known?.timeoutMs === timeoutMs && known.onFailure === onFailure) return;
    known?.off();
    const name = freeName(this.#bus, event, "hub");
    const kind = findEvent(event)?.spec.kind === "transform" ? "transform" : "gate";
    const ask = (asked: HookEvent) => this.#questions.ask(asked, { kind, timeoutMs, endsWithFiles: this.#isOnlyKept(event) });
    const handler = kind === "transform" ? ask : (asked: HookEvent) => this.#lease.answer(asked) ?? this.#askAbout(asked, ask);
    const limits = { onFailure, timeoutMs: timeoutMs + ANSWER_MARGIN_MS };
    const off = this.#bus.on(event, handler, { name, actor: "hub", stage: "guard", ...limits });
    this.#registered.set(event, { event, timeoutMs, onFailure, name, off });
  }

  async #askAbout<T>(asked: HookEvent, ask: (asked: HookEvent) => Promise<T>): Promise<T> {
    const answer = await ask(asked);
    this.#lease.sawAnswer(asked);
    return answer;
  }
}

const everything = [...everyGate, ...everyTransform].map(
  (event): RemoteGate => ({ event, timeoutMs: DEFAULT_HANDLER_TIMEOUT_MS, onFailure: "closed" }),
);

function readGate(value: unknown): RemoteGate[] {
  const { event, timeoutMs, onFailure } = (value ?? {}) as { readonly [key in keyof RemoteGate]?: unknown };
  const name = typeof event === "string" ? nameOf(event) : undefined;
  if (name === undefined) return [];
  const limit =
    typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs < 2 ** 31 - ANSWER_MARGIN_MS ? timeoutMs : DEFAULT_HANDLER_TIMEOUT_MS;
  return [{ event: name, timeoutMs: limit, onFailure: MODES.includes(onFailure) ? (onFailure as FailureMode) : "closed" }];
}

/** The canonical name of a gate or transform, or the pattern of a family of gates: no list can hold every command. */
function nameOf(event: string): string | undefined {
  const [namespace = "", ...rest] = event.split(":");
  if (rest.at(-1) === "*")
    return Object.hasOwn(families, namespace) && (families as Families)[namespace]?.kind === "gate" ? event : undefined;
  const known = findEvent(event);
  return known === undefined || known.spec.kind === "observe" ? undefined : known.name;
}

type Families = { readonly [namespace: string]: { readonly kind: string } };

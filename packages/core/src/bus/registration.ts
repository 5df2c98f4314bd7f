import type { Actor } from "../catalog/actor.js";
import type { HookError } from "../catalog/errors.js";
import type { Match, Predicate } from "../match/compile.js";
import { describeMatch } from "../match/compile.js";
import { Durations } from "../text/histogram.js";
import { timeOfTick } from "./clock.js";
import type { FailureMode, HandlerHealth, HandlerInfo, HandlerOptions, HandlerStats, HookEvent, Stage } from "./types.js";

export type AnyHandler = (event: HookEvent) => unknown;

export interface RegistrationParts {
  readonly id: number;
  readonly event: string;
  readonly isPattern: boolean;
  readonly handler: AnyHandler;
  readonly predicate: Predicate | undefined;
  readonly name: string;
  readonly stage: Stage;
  readonly priority: number;
  readonly timeoutMs: number;
  /** The mode that applies where the event can be blocked. */
  readonly onFailure: FailureMode;
  /** The handler itself says its mode. Only then does a failure withhold the value of a transform. */
  readonly saysOnFailure: boolean;
  readonly once: boolean;
  readonly suspend: boolean;
  readonly isSentinel: boolean;
  readonly owner: string | undefined;
  /** Made once, so that a step of a trail only refers to it. */
  readonly actor: Actor;
  readonly description: string | undefined;
  readonly path: string | undefined;
  readonly tool: string | readonly string[] | undefined;
  /** The part of the predicate that `tool` is. */
  readonly toolFilter: Predicate | undefined;
  readonly match: Match | undefined;
  readonly index: HandlerOptions["index"];
  readonly concern: HandlerOptions["concern"];
  readonly permissions: readonly string[] | undefined;
  readonly health: (() => HandlerHealth) | undefined;
}

/** Consecutive failures after which an observer is left out, and for how long. */
const SUSPEND_AFTER = 5;
const SUSPEND_MS = 60_000;
/** Calls are timed 1 in 64 (a clock read costs 40–60 ns); asynchronous ones also at least once every 100 ms, so at an agent's pace always. */
const UNTIMED_CALLS = 63;

/** One handler as registered, with its counters. What the hot path reads stands first. */
export class Registration {
  readonly handler: AnyHandler;
  readonly predicate: Predicate | undefined;
  /** Calls that may still take the fast path. 0 when the next one is to be timed, and always for once, failing and suspended handlers. */
  budget = 0;
  lastTick = 0;
  isSpecial: boolean;
  /** It has returned a promise before. */
  isAsync = false;
  readonly timeoutMs: number;
  streak = 0;
  suspendedUntil = 0;
  failures = 0;
  timeouts = 0;
  denies = 0;
  isRemoved = false;
  readonly parts: RegistrationParts;
  #careful = 0;
  #granted = 0;
  readonly #durations = new Durations();
  readonly #reported = new Set<string>();
  /** Undoes what ties it to others, such as the signal it was registered with. */
  release: () => void = () => {};
  #info: HandlerInfo | undefined;

  constructor(parts: RegistrationParts) {
    this.parts = parts;
    this.handler = parts.handler;
    this.predicate = parts.predicate;
    this.timeoutMs = parts.timeoutMs;
    this.isSpecial = parts.once;
  }

  /** Nothing has to be looked at before it is called. */
  get isPlain(): boolean {
    return this.predicate === undefined && !this.isSpecial;
  }

  /** Counts calls that were noted elsewhere. */
  count(calls: number, tick: number): void {
    this.#careful += calls;
    if (tick > this.lastTick) this.lastTick = tick;
  }

  get calls(): number {
    return this.#careful + this.#granted - this.budget;
  }

  /** Counts a call; true when its time must be measured. */
  begin(tick: number): boolean {
    const isDue = this.budget === 0 || (this.isAsync && tick !== this.lastTick);
    this.lastTick = tick;
    if (isDue) {
      this.#careful++;
      if (!this.isSpecial) this.#grant(UNTIMED_CALLS);
    } else {
      this.budget--;
    }
    return isDue;
  }

  took(ms: number): void {
    this.#durations.add(ms);
  }

  /** A call went well: a streak of failures is over. True when the handler is plain again. */
  succeeded(): boolean {
    if (!this.isSpecial) return false;
    this.streak = 0;
    this.isSpecial = this.parts.once;
    return !this.isSpecial;
  }

  /** Counts a failure; true when it was the one that suspends an observer. */
  failed(error: HookError, isObserver: boolean, now: number): boolean {
    this.failures++;
    if (error.failure === "timeout") this.timeouts++;
    this.isSpecial = true;
    this.#grant(0);
    if (++this.streak < SUSPEND_AFTER || !isObserver || !this.parts.suspend) return false;
    this.suspendedUntil = now + SUSPEND_MS;
    this.streak = 0;
    return true;
  }

  isSuspended(now: number): boolean {
    if (this.suspendedUntil === 0) return false;
    if (now < this.suspendedUntil) return true;
    this.suspendedUntil = 0;
    return false;
  }

  /** True the first time a complaint of this kind is made about this handler. */
  firstTime(complaint: string): boolean {
    if (this.#reported.has(complaint)) return false;
    this.#reported.add(complaint);
    return true;
  }

  #grant(calls: number): void {
    this.#granted += calls - this.budget;
    this.budget = calls;
  }

  get info(): HandlerInfo {
    this.#info ??= describe(this.parts);
    return this.#info;
  }

  stats(): HandlerStats {
    const { id, event, name, owner } = this.parts;
    return {
      id,
      event,
      name,
      owner,
      calls: this.calls,
      failures: this.failures,
      timeouts: this.timeouts,
      denies: this.denies,
      p50Ms: this.#durations.quantile(0.5),
      p99Ms: this.#durations.quantile(0.99),
      lastFiredAt: this.lastTick === 0 ? undefined : timeOfTick(this.lastTick),
      neverFired: this.calls === 0,
      suspendedUntil: this.suspendedUntil === 0 ? undefined : this.suspendedUntil,
    };
  }
}

function describe(parts: RegistrationParts): HandlerInfo {
  const { id, event, name, owner, actor, description, path, priority, stage, onFailure, timeoutMs, once, tool, match } = parts;
  return {
    id,
    event,
    name,
    owner,
    actor,
    description,
    path,
    priority,
    stage,
    onFailure,
    timeoutMs,
    once,
    tool,
    match: describeMatch(match),
    ...(parts.concern !== undefined && { concern: parts.concern }),
    permissions: parts.permissions,
    health: parts.health,
  };
}

const STAGE_RANK: Record<Stage, number> = { rewrite: 0, guard: 1, observe: 2 };

/** Order within one event: the sentinel, then stage (gates only), priority, exact before wildcard, registration. */
export function inOrder(isGate: boolean): (a: Registration, b: Registration) => number {
  return ({ parts: a }, { parts: b }) =>
    Number(b.isSentinel) - Number(a.isSentinel) ||
    (isGate ? STAGE_RANK[a.stage] - STAGE_RANK[b.stage] : 0) ||
    b.priority - a.priority ||
    Number(a.isPattern) - Number(b.isPattern) ||
    a.id - b.id;
}

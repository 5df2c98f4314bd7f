import type { HookError } from "@hookline/core";
import { createStateClock, type StateClock } from "./state-clock.js";

type Amount = number | null;
/** Tokens and cost; `null` where no request has said them. */
type Sums = readonly [tokens: Amount, costUsd: Amount];

/** One step of what rules remember. All steps together are the state, so storing them stores it. */
export type StateChange =
  | readonly ["match", series: string, at: number, keep: number]
  | readonly ["result", call: string, result: string, at: number]
  | readonly ["usage", session: string, day: string, from: "llm" | "turn", usage: Sums, at: number]
  | readonly ["parent", session: string, parent: string]
  | readonly ["forget", what: "all" | "results" | "usage" | "rule", rule?: string]
  // What a snapshot has in place of the steps before it.
  | readonly ["series", series: string, times: readonly number[]]
  | readonly ["repeats", call: string, result: string, times: number, at: number]
  | readonly ["spent", key: string, llm: Sums, turn: Sums, unknown: readonly [tokens: number, costUsd: number], at: number];

/** What is known about tokens or money. `unknown`: how many requests did not say. */
export interface Spent {
  readonly known: number | undefined;
  readonly unknown: number;
}

interface RuleStateOptions {
  readonly clock?: StateClock;
  /** The project of a folder. */
  readonly projectOf?: (folder: string) => string;
  /** Stores a change that was made. */
  readonly onChange?: (change: StateChange) => void;
}

interface Usage {
  llm: Sums;
  turn: Sums;
  unknown: readonly [tokens: number, costUsd: number];
  at: number;
}

/** Entries of each kind that are remembered; those that were silent for longest are forgotten first. */
const MAX_ENTRIES = 10_000;
const MAX_TIMES = 200_000;
/** Calls that were counted and may be asked about again. */
const MAX_CALLS = 4_096;
const MAX_PARENTS = 16;
const NOTHING: Sums = [null, null];

/** What the rules of one bus, or of the hub, have seen. Rules remember nothing elsewhere. */
export class RuleState {
  readonly clock: StateClock;
  readonly projectOf: (folder: string) => string;
  /** Set while the state cannot be relied on: every rule that depends on it fails with this error. */
  fault: HookError | undefined;
  /** How many entries were forgotten for lack of room. */
  forgotten = 0;
  readonly #series = new Map<string, number[]>();
  readonly #results = new Map<string, { readonly result: string; readonly times: number; readonly at: number }>();
  readonly #usage = new Map<string, Usage>();
  readonly #parents = new Map<string, string>();
  /** In memory only: a guard may be asked about one call more than once. */
  readonly #calls = new Set<string>();
  readonly #followed = new Map<string, number>();
  readonly #onChange: (change: StateChange) => void;
  #times = 0;

  constructor({ clock = createStateClock(), projectOf = (folder) => folder, onChange = () => {} }: RuleStateOptions = {}) {
    this.clock = clock;
    this.projectOf = projectOf;
    this.#onChange = onChange;
  }

  /** Counts a call in a series, once. The series keeps the latest `keep` times. */
  match(series: string, ids: readonly string[], keep: number): void {
    if (this.wasCounted(series, ids)) return;
    for (const id of ids) this.#calls.add(callKey(series, id));
    while (this.#calls.size > MAX_CALLS) this.#calls.delete(firstOf(this.#calls));
    this.#change(["match", series, this.clock.now(), keep]);
  }

  wasCounted(series: string, ids: readonly string[]): boolean {
    return ids.some((id) => this.#calls.has(callKey(series, id)));
  }

  /** How often a series was counted, up to the number that it keeps. */
  timesOf(series: string, withinMs = Number.POSITIVE_INFINITY): number {
    const since = this.clock.now() - withinMs;
    return (this.#series.get(series) ?? []).filter((at) => at > since).length;
  }

  /** Notes what came of a call. */
  result(call: string, result: string): void {
    this.#change(["result", call, result, this.clock.now()]);
  }

  /** How often in a row a call had the same result. */
  repeatsOf(call: string, withinMs = Number.POSITIVE_INFINITY): number {
    const found = this.#results.get(call);
    return found === undefined || found.at <= this.clock.now() - withinMs ? 0 : found.times;
  }

  usage(session: string, from: "llm" | "turn", usage: Sums): void {
    this.#change(["usage", session, this.clock.day(), from, usage, this.clock.now()]);
  }

  /** What a session with its subagents has spent; without one, what was spent today. */
  spentOf(of: "tokens" | "costUsd", session?: string): Spent {
    const usage = this.#usage.get(session === undefined ? dayKey(this.clock.day()) : sessionKey(session));
    const index = of === "tokens" ? 0 : 1;
    return { known: usage?.llm[index] ?? usage?.turn[index] ?? undefined, unknown: usage?.unknown[index] ?? 0 };
  }

  parent(session: string, parent: string): void {
    if (session !== parent && this.#parents.get(session) !== parent) this.#change(["parent", session, parent]);
  }

  /** The session that a subagent's session comes from in the end. */
  rootOf(session: string): string {
    let root = session;
    for (let depth = 0; depth < MAX_PARENTS; depth++) {
      const parent = this.#parents.get(root);
      if (parent === undefined || parent === session) return root;
      root = parent;
    }
    return root;
  }

  /** Another rule asks whether this one matched. Returns how to stop. */
  follow(rule: string): () => void {
    this.#followed.set(rule, (this.#followed.get(rule) ?? 0) + 1);
    return () => void this.#followed.set(rule, (this.#followed.get(rule) ?? 1) - 1);
  }

  isFollowed(rule: string): boolean {
    return (this.#followed.get(rule) ?? 0) > 0;
  }

  /** Forgets everything, the results or the usage of all sessions, or what one rule has counted. */
  forget(what: "all" | "results" | "usage" | { readonly rule: string }): void {
    this.#change(typeof what === "string" ? ["forget", what] : ["forget", "rule", what.rule]);
  }

  /** The series of a rule, the latest first. */
  seriesOf(rule: string): readonly string[] {
    const own = [...this.#series].filter(([series]) => series.startsWith(`${rule}\n`));
    return own.sort(([, a], [, b]) => (b.at(-1) ?? 0) - (a.at(-1) ?? 0)).map(([series]) => series);
  }

  /** Sessions whose usage is known at least in part, or known to be missing; the latest first. */
  sessionsWithUsage(): readonly string[] {
    const own = [...this.#usage].filter(([key]) => key.startsWith(sessionKey("")));
    return own.sort(([, a], [, b]) => b.at - a.at).map(([key]) => key.slice(sessionKey("").length));
  }

  /** Calls that had the same result at least so often. */
  callsWithRepeats(times: number, withinMs?: number): number {
    return [...this.#results.keys()].filter((call) => this.repeatsOf(call, withinMs) >= times).length;
  }

  /** As few changes as lead to the same state. */
  *snapshot(): Generator<StateChange> {
    for (const [session, parent] of this.#parents) yield ["parent", session, parent];
    for (const [series, times] of this.#series) yield ["series", series, times];
    for (const [call, { result, times, at }] of this.#results) yield ["repeats", call, result, times, at];
    for (const [key, { llm, turn, unknown, at }] of this.#usage) yield ["spent", key, llm, turn, unknown, at];
  }

  /** Takes up a change that was stored earlier. */
  apply(change: StateChange): void {
    switch (change[0]) {
      case "match": {
        const [, series, at, keep] = change;
        return this.#put(series, [...(this.#series.get(series) ?? []), at].slice(-keep));
      }
      case "series":
        return this.#put(change[1], [...change[2]]);
      case "result": {
        const [, call, result, at] = change;
        const before = this.#results.get(call);
        return this.#latest(this.#results, call, { result, times: before?.result === result ? before.times + 1 : 1, at });
      }
      case "repeats": {
        const [, call, result, times, at] = change;
        return this.#latest(this.#results, call, { result, times, at });
      }
      case "usage":
        return this.#addUsage(change);
      case "spent": {
        const [, key, llm, turn, unknown, at] = change;
        return this.#latest(this.#usage, key, { llm, turn, unknown, at });
      }
      case "parent":
        return this.#latest(this.#parents, change[1], change[2]);
      case "forget":
        return this.#forget(change[1], change[2]);
    }
  }

  #change(change: StateChange): void {
    this.apply(change);
    this.#onChange(change);
  }

  #put(series: string, times: number[]): void {
    this.#times += times.length - (this.#series.get(series)?.length ?? 0);
    for (const at of times.slice(-1)) this.clock.notBefore(at);
    this.#latest(this.#series, series, times);
    while (this.#times > MAX_TIMES && this.#series.size > 1) this.#drop(firstOf(this.#series.keys()));
  }

  #drop(series: string): void {
    this.#times -= this.#series.get(series)?.length ?? 0;
    this.#series.delete(series);
    this.forgotten++;
  }

  #latest<T>(map: Map<string, T>, key: string, value: T): void {
    map.delete(key);
    map.set(key, value);
    if (map.size <= MAX_ENTRIES) return;
    const oldest = firstOf(map.keys());
    if ((map as unknown) === this.#series) return this.#drop(oldest);
    map.delete(oldest);
    this.forgotten++;
  }

  #addUsage([, session, day, from, usage, at]: Extract<StateChange, readonly ["usage", ...unknown[]]>): void {
    const before = this.#usage.get(sessionKey(session)) ?? { llm: NOTHING, turn: NOTHING, unknown: [0, 0], at };
    const unknown = from === "llm" ? missingIn(usage) : [0, 0];
    const after: Usage = { ...before, [from]: added(before[from], usage), unknown: sumOf(before.unknown, unknown), at };
    const today = this.#usage.get(dayKey(day)) ?? { llm: NOTHING, turn: NOTHING, unknown: [0, 0], at };
    this.#latest(this.#usage, sessionKey(session), after);
    // An agent may report the same tokens by request and by turn, so a day adds what its sessions add up to.
    const more = [0, 1].map((index) => difference(spentIn(before, index), spentIn(after, index)));
    const llm = added(today.llm, more as unknown as Sums);
    this.#latest(this.#usage, dayKey(day), { ...today, llm, unknown: sumOf(today.unknown, unknown), at });
  }

  #forget(what: "all" | "results" | "usage" | "rule", rule = ""): void {
    this.#calls.clear();
    const isOwn = (key: string): boolean => what === "all" || (what === "rule" && key.startsWith(`${rule}\n`));
    for (const series of [...this.#series.keys()].filter(isOwn)) this.#drop(series);
    if (what === "all" || what === "results") this.#results.clear();
    if (what === "all" || what === "usage") this.#usage.clear();
    this.forgotten = 0;
  }
}

const sessionKey = (session: string): string => `session ${session}`;
const dayKey = (day: string): string => `day ${day}`;
const callKey = (series: string, id: string): string => `${series}\n${id}`;

function firstOf(keys: Iterable<string>): string {
  const [first = ""] = keys;
  return first;
}

function spentIn({ llm, turn }: Usage, index: number): Amount {
  return llm[index] ?? turn[index] ?? null;
}

function difference(before: Amount, after: Amount): Amount {
  return after === null ? null : after - (before ?? 0);
}

function added(sums: Sums, more: Sums): Sums {
  const [tokens, costUsd] = [0, 1].map((index) => {
    const amount = more[index] ?? null;
    return amount === null ? (sums[index] ?? null) : (sums[index] ?? 0) + amount;
  });
  return [tokens ?? null, costUsd ?? null];
}

function missingIn(usage: Sums): readonly number[] {
  return usage.map((amount) => (amount === null ? 1 : 0));
}

function sumOf([tokens, costUsd]: readonly [number, number], [moreTokens = 0, moreCost = 0]: readonly number[]): readonly [number, number] {
  return [tokens + moreTokens, costUsd + moreCost];
}

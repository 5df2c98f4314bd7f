import type { Actor, ActorKind } from "../catalog/actor.js";
import type { Verdict } from "../catalog/envelope.js";
import type { FailureKind, HookError } from "../catalog/errors.js";
import type { Category, EventKind, OutcomeKind } from "../catalog/events.js";
import type { Outcome } from "../catalog/outcomes.js";
import type {
  Canonical,
  CustomName,
  EventName,
  EventPattern,
  GuardName,
  OutcomesOf,
  PayloadOf,
  SessionRef,
  TransformName,
  Unknown,
  ValueOf,
} from "../catalog/payloads.js";
import type { ReminderSpec } from "../catalog/reminder.js";
import type { Match, RegexEngine } from "../match/compile.js";
import type { Concern } from "../match/concern.js";
import type { Bus } from "./bus.js";

/** When a handler of a gate runs: `rewrite` before the guards, `guard` to decide, `observe` after the decision. */
export type Stage = "rewrite" | "guard" | "observe";
/** What the failure of a handler means: `open` continues, `closed` denies or withholds the value, `abort` rejects the dispatch. */
export type FailureMode = "open" | "closed" | "abort";
export type { Verdict };

/** What a handler is given. One object is shared by the handlers of a dispatch; id, time and signal are made when first read. */
export type HookEvent<N extends string = string> = EventOf<PayloadOf<N>, ValueOf<N>>;

/** An event by its payload and value, whatever its name: a handler that asks for less fits an event that has more. */
export interface EventOf<P, V> {
  readonly name: string;
  readonly payload: P;
  /** The value so far, in a transform. */
  readonly value: V;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: SessionRef | undefined;
  /** How many events deep: 0 when the host dispatched it, 1 when a handler of such an event did. */
  readonly depth: number;
  /** Aborted when this handler's time is up or the caller cancels. */
  readonly signal: AbortSignal;
  /** The bus, one level deeper: dispatch through it and a cycle is found before the stack overflows. */
  readonly bus: Bus;
}

/** The shapes people write by hand instead of the constructors. Each needs its key: an outcome would otherwise pass for one by its `reason`. */
export type PlainAnswer = { readonly reason?: string } & (
  | { readonly decision: "allow" | "deny" | "ask" }
  | { readonly block: boolean | string }
  | { readonly deny: boolean | string }
  | { readonly modify: unknown }
  | { readonly args: unknown }
  | { readonly result: unknown }
  | { readonly inject: string | readonly string[] }
  | { readonly reminder: ReminderSpec; readonly then?: NestedAnswer }
  | { readonly then: NestedAnswer }
  | { readonly effects: readonly NestedAnswer[] }
);

type NestedAnswer = boolean | Outcome | PlainAnswer | readonly NestedAnswer[] | null;

type Maybe<T> = T | undefined | null | void;
type Awaitable<T> = T | Promise<T>;

interface AnswerTypes<K extends OutcomeKind, V> {
  gate: Maybe<boolean | Outcome<K> | PlainAnswer | readonly (Outcome<K> | PlainAnswer)[]>;
  transform: Maybe<V | Outcome<K> | PlainAnswer | readonly Outcome<K>[]>;
}
/** What a handler of a gate may return. */
export type GateAnswer<N extends string> = AnswerTypes<OutcomesOf<N>, unknown>["gate"];
/** What a handler of a transform may return. */
export type TransformAnswer<N extends string> = AnswerTypes<OutcomesOf<N>, ValueOf<N>>["transform"];

// Looked up and not named, so that the compiler compares what they take and give: a handler written for one spelling serves every other.
interface HandlerTypes<N extends string> {
  gate: (event: HookEvent<N>) => Awaitable<GateAnswer<N>>;
  transform: (event: HookEvent<N>) => Awaitable<TransformAnswer<N>>;
  observe: (event: HookEvent<N>) => unknown;
}
/** Handles a gate: it returns an outcome, or nothing if it has no opinion. */
export type GateHandler<N extends string> = HandlerTypes<N>["gate"];
/** Handles a transform: it returns another value, or nothing to keep the value. */
export type TransformHandler<N extends string> = HandlerTypes<N>["transform"];
/** Handles an observe event. The bus ignores what it returns, except outcomes that the event allows. */
export type ObserveHandler<N extends string> = HandlerTypes<N>["observe"];

/** What handles an event, by its kind. In brackets: a union of names gets one handler, not a union of handlers. */
export type HandlerOf<N extends string> = [N] extends [GuardName]
  ? GateHandler<Canonical<N>>
  : [N] extends [TransformName]
    ? TransformHandler<Canonical<N>>
    : // What a slash command's handler returns may also be collected, so it may be anything.
      [N] extends [EventName | EventPattern | CustomName<N> | Unknown<N>]
      ? ObserveHandler<N>
      : `"${N}" is not an event`;

/** Options of `bus.on`. */
export interface HandlerOptions {
  readonly name?: string;
  readonly description?: string;
  /** The file it came from, shown in lists. */
  readonly path?: string;
  readonly owner?: string;
  /** What kind of actor it is in trails and decisions. Default `guard`. */
  readonly actor?: Exclude<ActorKind, "person">;
  readonly permissions?: readonly string[];
  /** Higher runs first. Default 0. */
  readonly priority?: number;
  readonly stage?: Stage;
  readonly match?: Match;
  /**
   * Every event that `match` is for, where it is registered for several: a path in it must be in the payload of one of them. What cannot be
   * known is then for the caller to tell of.
   */
  readonly matchEvents?: readonly string[];
  /** @internal Shared by many handlers: those of them that `match` may hold for. In a long list the others cost nothing. */
  readonly index?: (payload: unknown) => readonly ((event: HookEvent) => unknown)[];
  /** @internal Without what this says, no call concerns the handler, besides its `tool`. `null`: only calls that run commands do. */
  readonly concern?: Concern | null;
  /** Runs the patterns of `match`. Default: the bus's. */
  readonly regex?: RegexEngine;
  /** A tool's name, a glob or a list of them. Case does not count. */
  readonly tool?: string | readonly string[];
  /** How long it may take. Default: the bus's `timeoutMs`; 0 means no limit. */
  readonly timeoutMs?: number;
  /**
   * What a failure means: throwing, running out of time, an answer that makes no sense. Default: `closed`, which denies, for a handler of
   * stage `guard` on an event that can be blocked, unless the bus says `open`; `open` elsewhere.
   */
  readonly onFailure?: FailureMode;
  readonly once?: boolean;
  /** Default true: an observer that fails five times in a row is left out for a minute. */
  readonly suspend?: boolean;
  /** Unregisters the handler when aborted. */
  readonly signal?: AbortSignal;
  /** Health and restart count of what stands behind the handler, for the trace. */
  readonly health?: () => HandlerHealth;
}

/** Says how the process or connection behind a handler is doing. `bus.list()` shows it. */
export interface HandlerHealth {
  readonly state: string;
  readonly restarts?: number;
}

/** Describes a registered handler, as `bus.list()` returns it. */
export interface HandlerInfo {
  readonly id: number;
  readonly event: string;
  readonly name: string;
  readonly owner: string | undefined;
  readonly actor: Actor;
  readonly description: string | undefined;
  readonly path: string | undefined;
  readonly priority: number;
  readonly stage: Stage;
  /** The mode that applies, chosen or by default. A pattern has the mode of those of its events that can be blocked. */
  readonly onFailure: FailureMode;
  readonly timeoutMs: number;
  readonly once: boolean;
  readonly tool: string | readonly string[] | undefined;
  readonly match: string | undefined;
  /** @internal */
  readonly concern?: Concern | null | undefined;
  readonly permissions: readonly string[] | undefined;
  readonly health: (() => HandlerHealth) | undefined;
}

/** Counts what one handler has done, as `bus.stats()` returns it. */
export interface HandlerStats {
  readonly id: number;
  readonly event: string;
  readonly name: string;
  readonly owner: string | undefined;
  readonly calls: number;
  readonly failures: number;
  readonly timeouts: number;
  readonly denies: number;
  /** Milliseconds, of a sample of the calls. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Milliseconds since 1970, to about 100 ms. */
  readonly lastFiredAt: number | undefined;
  readonly neverFired: boolean;
  readonly suspendedUntil: number | undefined;
}

/** A reminder a handler left, and which handler that was. */
export interface Reminder {
  readonly spec: ReminderSpec;
  readonly by: string;
}

/** What handlers leave for the model. */
export interface Effects {
  readonly injections: readonly string[];
  readonly reminders: readonly Reminder[];
}

/** What one actor did in a dispatch. */
export interface TrailStep {
  readonly actor: Actor;
  /** `approval` for the answer to a question, or that there was none. */
  readonly stage: Stage | "approval";
  /** 0 at first sight; counts the times it looked again after a rewrite. */
  readonly round: number;
  readonly action: TrailAction;
  readonly reason?: string | undefined;
  readonly failure?: FailureKind | undefined;
  /** Missing where the time was not taken: calls in a burst are sampled. */
  readonly durationMs?: number | undefined;
}
/** What a handler did in a dispatch. */
export type TrailAction =
  | "pass"
  | "allow"
  | "ask"
  | "deny"
  | "modify"
  | "replace"
  | "inject"
  | "remind"
  | "again"
  | "handled"
  | "no-match"
  | "failed"
  | "cancelled"
  | "ignored"
  | "suspended"
  | "paused"
  | "not-reached";

/** What came of a gate. */
export interface Decision<P = unknown> {
  /** `pass`: no handler had an opinion; only `allow` may skip the agent's own prompt. */
  readonly verdict: Verdict;
  /** True for `pass` and `allow`. */
  readonly allowed: boolean;
  readonly reason?: string | undefined;
  /** The name of the actor that decided. */
  readonly by?: string | undefined;
  readonly actor?: Actor | undefined;
  /** What failed, when the verdict is a failure's and not a decision. */
  readonly cause?: HookError | undefined;
  /** What may run: the payload after every rewrite, as a copy that is yours. It is what was judged, whatever has become of your own object. */
  readonly payload: P;
  /** Paths in the payload of what could not be copied: functions, streams, objects of a class of their own. */
  readonly opaque?: readonly string[] | undefined;
  readonly modified: boolean;
  readonly endLoop: boolean;
  readonly again?: { readonly reason: string | undefined; readonly by: string } | undefined;
  readonly handled?: { readonly output: unknown; readonly by: string } | undefined;
  readonly injections: readonly string[];
  readonly reminders: readonly Reminder[];
  readonly trail: readonly TrailStep[];
  /** All that ask, if the verdict is `ask`. */
  readonly asks?: readonly Ask[] | undefined;
}

/** Options of `decide`. */
export interface DecideOptions {
  /**
   * Cancels: handlers' signals are aborted and the decision is a deny with cause `HL_CANCELLED`. Aborted with an `HL_TIMEOUT` as its reason,
   * it is a limit to the whole decision, and the cause is `HL_TIMEOUT`.
   */
  readonly signal?: AbortSignal;
  /** The approver of this call, whatever `onAsk` and `setApprover` say. */
  readonly approver?: Approver;
  /** `false`: handlers of stage `observe` are not told; the caller tells them later with `tellObservers`. Default true. */
  readonly observers?: boolean;
  /** @internal `false`: no copy, for a payload that notices what is read of it. */
  readonly copy?: boolean;
}

/** What `bus.transform` returns. */
export interface TransformResult<V = unknown> {
  readonly value: V;
  /** A closed handler failed, so those after it did not get the value but `[withheld: …]`. */
  readonly isWithheld: boolean;
  /** The first handler that failed so. */
  readonly withheldBy?: Actor | undefined;
  readonly injections: readonly string[];
  readonly reminders: readonly Reminder[];
  readonly trail: readonly TrailStep[];
}

/** What an approver is shown. */
export interface ApprovalRequest {
  /** The question's id, wherever it is shown, answered and recorded. */
  readonly id: string;
  readonly event: string;
  /** The id of the event that waits for the answer. */
  readonly eventId: string;
  readonly payload: unknown;
  readonly session: SessionRef | undefined;
  readonly reason: string | undefined;
  /** The name of the first actor that asked; `asks` has all. */
  readonly by: string;
  readonly actor: Actor;
  readonly asks: readonly Ask[];
  /** Milliseconds since 1970 at which silence becomes a deny. */
  readonly expiresAt: number;
}
/** One actor that asks for a person. */
export interface Ask {
  readonly by: string;
  readonly actor: Actor;
  readonly reason: string | undefined;
}
/** A person's answer to an approval. */
export interface ApprovalReply {
  readonly verdict: "allow" | "deny";
  readonly reason?: string;
  /** The person's name. */
  readonly by?: string;
  /** The actor that answered, if it is not a person in this process. */
  readonly actor?: Actor;
  /** An edited payload: every guard looks at it again. */
  readonly payload?: unknown;
}
/** Asks a person and returns the answer. The signal aborts when the time is up. */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => ApprovalReply | Promise<ApprovalReply>;

/** Sees what the bus does: transcripts, sinks, the forwarder and the trace are taps. A tap that throws is reported and never hurts the dispatch. */
export interface Tap {
  /** A handler is about to be called. */
  called?(event: HookEvent, handler: HandlerInfo): void;
  /** A handler has answered, failed or run out of time. `answer` is what it returned. */
  returned?(event: HookEvent, handler: HandlerInfo, call: TapCall): void;
  /** A dispatch is over: once per event, also without a handler. */
  dispatched?(event: HookEvent, dispatch: TapDispatch): void;
}
/** One call of a handler, as a tap sees it. */
export interface TapCall {
  readonly action: TrailAction;
  readonly reason: string | undefined;
  readonly answer: unknown;
  readonly failure: HookError | undefined;
  readonly durationMs: number;
  readonly round: number;
}
/** The end of a dispatch, as a tap sees it. */
export interface TapDispatch {
  readonly kind: EventKind;
  readonly decision?: Decision | undefined;
  readonly result?: TransformResult | undefined;
  /** Why a gate was aborted, without a decision. */
  readonly error?: HookError | undefined;
}

/** Where a reminder comes from. `callId`: the tool call that its event is about. */
interface ReminderOrigin {
  readonly session: SessionRef | undefined;
  readonly by: string;
  readonly event: string;
  readonly callId?: string | undefined;
}

/** Where the bus puts the reminders its handlers leave; `createReminderBook()` makes one. */
export interface ReminderStore {
  add(reminder: ReminderSpec, context: ReminderOrigin): void;
  /** Called once by the bus: from now on tell it of every change. */
  attach?(emit: (event: string, payload: { readonly [key: string]: unknown }) => void): void;
}

/** The process that a bus runs in, as envelopes name it. */
export interface Source {
  readonly app: string;
  readonly host?: string;
  readonly pid?: number;
  readonly instance?: string;
}

/** Options of `createBus`. */
export interface BusOptions {
  readonly source?: string | Source;
  /** `false`: handlers register, and nothing is dispatched to them. Default: true, unless HOOKLINE is 0, false, no or off in the environment. */
  readonly enabled?: boolean;
  /** `parallel` (default) awaits observers together, `sequential` one by one. */
  readonly observe?: "parallel" | "sequential";
  /**
   * `chain` (default): rewrites chain and guards look again. `stop`: the first rewrite of a handler of yours wins, and gives up that guarantee among your
   * own handlers. Guards of the hub judge the final payload whatever this and `onAsk` say.
   */
  readonly onModify?: "chain" | "stop";
  readonly onAsk?: "resolve" | "return" | "stop";
  /** How long an approval waits for a person; then the verdict is deny. */
  readonly askTimeoutMs?: number;
  /** Run the other guards after a deny too, for audit. */
  readonly runAll?: boolean;
  /** Default true: guards judge a frozen copy of the payload, and what runs is a copy of that. `false` gives them your own object. */
  readonly freeze?: boolean;
  /** `open`: guards that do not say their own `onFailure` let a call pass when they fail. Default `closed`: they deny it. */
  readonly onFailure?: "open" | "closed";
  /** Default `timeoutMs` of handlers. */
  readonly timeoutMs?: number;
  /** How often in a row `finish:before` may be answered with `again`. Default 3. */
  readonly maxAgain?: number;
  readonly reminders?: ReminderStore;
  readonly regex?: RegexEngine;
  /** A line per handler call, without payloads. Default: on stderr when HOOKLINE_TRACE is 1, true, yes or on. */
  readonly trace?: boolean | ((line: string) => void);
  readonly onError?: (error: HookError) => void;
}

/** Selects the handlers that `bus.clear` removes. */
export interface ClearFilter {
  readonly category?: Category;
  readonly owner?: string;
}

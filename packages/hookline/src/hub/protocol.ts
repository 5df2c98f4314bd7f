import type { HandlerHealth, HandlerInfo, HandlerStats, TrailStep, Verdict } from "@hookline/core";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";

/** What HTTP clients and the page see of the hub: docs/hub-api.md says it in words. Times are milliseconds since 1970, or text in ISO 8601. */
type Text<K extends string> = { readonly [_ in K]: string };
type Count<K extends string> = { readonly [_ in K]: number };
type Flag<K extends string> = { readonly [_ in K]: boolean };
type Maybe<T> = { readonly [K in keyof T]?: T[K] | undefined };
type Counts = { readonly [name: string]: number };
type Session = Text<"id"> & { readonly parentId?: string };

/** The body of every answer from 400 on. */
export type ErrorAnswer = { readonly error: Text<"code" | "message"> & { readonly fix?: string } };

/** `GET /api/hooks/health`. Other than `ok`: what came last could not be stored. */
export interface HealthAnswer extends Text<"version" | "instance" | "startedAt"> {
  readonly status: "ok" | "disk_full" | "store_failed";
}
/** `GET /api/hooks/proof?nonce=`: shows that the hub knows the token in `hub.json`, before anybody sends it one. */
export type ProofAnswer = Text<"instance" | "proof">;

/** A page sends, with everything but `/api/stream`, the key it got when it logged in: its cookie alone may only read. */
export const KEY_HEADER = "hookline-key";
/** Where in `localStorage` the login page leaves the key. */
export const KEY_STORAGE = "hookline-key";
/** `POST /api/login { code }`, `GET /api/me`, `POST /api/login/link { scopes?, host? }`, `POST /api/logout { everywhere? }` */
export type LoginAnswer = Text<"key"> & { readonly scopes: readonly string[]; readonly isKept?: true };
export type MeAnswer = Text<"version" | "instance"> & { readonly scopes: readonly string[] };
export type LinkAnswer = Text<"url"> & Maybe<Text<"note">>;
/** `POST /api/token/rotate`. `left`: what has to be done by hand. */
export type RotateAnswer = { readonly rotated: boolean; readonly left: readonly string[] };

/** `POST /api/hooks/ingest`: sent when all of it is on disk. Hermes sends an event in its own words. */
export type IngestAnswer = Count<"stored" | "duplicates">;
export type HermesFrame = Text<"event_type"> & { readonly context?: unknown; readonly src?: unknown };

/**
 * `POST /api/decide`: a gate, in any spelling. `timeoutMs`: default 5,000, with `wait` 600,000, which is the most; then the answer is a deny.
 * `record`: the event is stored with its decision under `id`, and needs a source. `wait`: where a guard asks, a person is asked.
 */
export interface DecideRequest extends Text<"event">, Partial<Text<"id"> & Flag<"record" | "wait"> & Count<"timeoutMs">> {
  readonly payload: unknown;
  readonly session?: Session;
  readonly source?: Text<"app"> & Partial<EnvelopeSource>;
}
/** `allowed` is true for `pass` and `allow`; `payload` is what may run, after every rewrite; `cause` is the code of what failed. */
export interface DecideAnswer extends Flag<"allowed" | "modified" | "endLoop">, Partial<Text<"reason" | "by" | "cause">> {
  readonly verdict: Verdict;
  readonly payload: unknown;
  readonly again?: Text<"by"> & { readonly reason?: string };
  readonly handled?: Text<"by"> & { readonly output: unknown };
  readonly injections: readonly string[];
  readonly reminders: readonly (Text<"by"> & { readonly spec: object })[];
  readonly trail: readonly TrailStep[];
  /** It is on disk. `isNew`: false for one that was there already, with the same verdict. */
  readonly recorded?: Text<"id"> & Flag<"isNew">;
}

/** `POST /api/transform`: the value to go on with. `cause` is the code of what failed. */
export interface TransformAnswer
  extends Flag<"isReplaced">,
    Partial<Text<"cause">>,
    Pick<DecideAnswer, "injections" | "reminders" | "trail"> {
  readonly value: unknown;
}

/** An event and its place in the store: places only grow. */
export type PlacedEvent = Envelope & Count<"place">;
/** `GET /api/events`: newest first. Without a cursor there are no more. */
export type EventsAnswer = { readonly events: readonly PlacedEvent[]; readonly cursor?: number };
/** `GET /api/events/:id`. Which handlers looked at it stands in `event.decision.trail`. */
export type EventAnswer = { readonly event: PlacedEvent };

/** `GET /api/stream`. `hook`: an envelope and, as its id, its place, which `Last-Event-ID` resumes after. `approval`: what waits has changed. */
export const STREAM_EVENTS = { hello: "hello", hook: "hook", approval: "approval", bye: "bye" } as const;
export type StreamHello = Text<"instance"> & Count<"place">;
export type StreamApproval = Count<"approvals">;
export type StreamBye = { readonly reason: "stopping" | "failed" | "signed_out" | "token_rotated" };

/** `GET /api/sessions`: those with the latest events first. `app`, `source`: the agent and its latest process, empty while only the hub has told of it; what else is not known is missing. */
export type SessionRow = Text<"id" | "app" | "source"> &
  Count<"firstAt" | "lastAt" | "events" | "denied" | "asked"> &
  Maybe<Text<"agent" | "parentId"> & Count<"inputTokens" | "outputTokens" | "costUsd">>;
export type SessionsAnswer = { readonly sessions: readonly SessionRow[] };
/** `GET /api/sessions/:id/timeline`: in order of their starts. One without an end goes on, or is a moment (`gate`, `other`). `waitMs`: for a person. */
type SpanFacts = Text<"parentId" | "status" | "detail"> & Count<"endAt" | "gateMs" | "waitMs">;
export interface TimelineSpan extends Text<"id" | "name" | "eventId">, Count<"startAt">, Maybe<SpanFacts> {
  readonly kind: "turn" | "tool" | "worker" | "gate" | "other";
  readonly verdict?: Verdict;
}
export type TimelineAnswer = Text<"session"> & Flag<"isCut"> & { readonly spans: readonly TimelineSpan[] };

/** `POST /api/sessions/:id/inject { text, interrupt?, by? }`, `POST /api/sessions/:id/remind { body, …, by? }`: `agent` is told; `id` is in every `session:steer` about it. */
export type SteerAnswer = Text<"id" | "agent"> & { readonly status: "sent" | "waiting" | "dropped" };
/** More is a document, which belongs in a file that the agent can read. */
export const MAX_STEER_CHARS = 8_000;
/** The payload of `session:steer`. `reason`: why it was dropped. */
export interface SteerRecord extends Text<"id" | "text" | "by" | "agent">, Maybe<Text<"reason">> {
  readonly kind: "inject" | "remind";
  readonly via: "cli" | "api" | "dashboard";
  readonly status: "waiting" | "sent" | "delivered" | "dropped";
  readonly interrupt?: true;
  readonly reminder?: object;
}

/** `GET /api/overview?minutes=`: a number per step from `from` on; latencies of gate decisions, null where there were none. */
export interface OverviewAnswer extends Count<"from" | "stepMs"> {
  readonly series: { readonly [_ in "events" | "denied" | "asked"]: readonly number[] };
  readonly latency: { readonly [_ in "p50Ms" | "p95Ms" | "p99Ms"]: readonly (number | null)[] };
  readonly topTools: readonly (Text<"tool"> & Count<"count" | "denied">)[];
  readonly topRules: readonly (Text<"rule"> & Count<"denied" | "asked">)[];
  readonly agents: readonly (Text<"app"> & Count<"lastAt" | "events">)[];
}

/** Of the hub, or, by `GET /api/sources/:instance/handlers`, of a process. `stats` since its start; `window` for what stands in decisions. */
type HandlerWindow = Count<"calls" | "denied" | "asked" | "failed"> & Maybe<Count<"p50Ms" | "p95Ms" | "p99Ms">>;
export interface HandlerRow extends Omit<HandlerInfo, "health">, Maybe<{ health: HandlerHealth; window: HandlerWindow } & Count<"lastAt">> {
  readonly stats?: Omit<HandlerStats, "id" | "event" | "name" | "owner">;
  /** Why it guards nothing: no attached agent has a tool it is for. */
  readonly note?: string;
}
/** `GET /api/handlers?minutes=`: also what processes ask about, hooks that do not run, and the rules of `hookline.toml`, whose owner is `rules`. */
export interface HandlersAnswer {
  readonly handlers: readonly HandlerRow[];
  readonly gates: readonly (Text<"event" | "onFailure"> & Count<"timeoutMs">)[];
  readonly hooks: readonly HookSummary[];
  readonly rules: readonly RuleSummary[];
}
/** `broken`: `problems` say why. `enabled` is false only for a rule that is switched off. */
export interface RuleSummary extends Text<"name" | "path">, Flag<"enabled"> {
  readonly state: "active" | "disabled" | "broken";
  readonly problems: readonly string[];
}
/** `GET /api/tools`: the agents that are attached, and the tools that calls are stored of, those of late first. */
export type ToolsAnswer = { readonly attached: readonly string[]; readonly seen: readonly string[] };
/** `id` is the `owner` of its handlers. */
export interface HookSummary extends Text<"id" | "name" | "kind" | "state" | "path"> {
  readonly from: "user" | "project";
  readonly project?: string;
  /** Missing where it is Hookline's own. */
  readonly dialect?: string;
  readonly problems: readonly string[];
  /** How it is read, where that is not plain to see. */
  readonly remarks?: readonly string[];
}
/** `POST /api/handlers/:owner { enabled, name? }`, `POST /api/handlers/test { owner, name?, event? }`: a rule goes by its name. */
export type SwitchAnswer = Text<"file"> & Flag<"enabled">;
export interface TrialAnswer extends Text<"event" | "verdict">, Count<"ms">, Flag<"wasAsked">, Maybe<Text<"reason" | "failure" | "again">> {
  readonly injections?: readonly string[];
  readonly reminders?: readonly string[];
  readonly payload?: unknown;
  readonly value?: unknown;
  readonly errors: readonly string[];
  readonly notes?: readonly string[];
}

type SinkRow = Text<"name" | "type"> & Count<"sent" | "behind"> & Maybe<Text<"lastError">> & { readonly dropped: Counts };
/** `GET /api/sinks`, `GET /api/sources`: the processes on the line, `GET /api/status` */
export type SinksAnswer = { readonly sinks: readonly (SinkRow & { readonly state: "ok" | "failing" | "closed" })[] };
type LineCounters = Count<"accepted" | "acked" | "pending" | "seq"> & { readonly dropped: Counts };
type SourceRow = Text<"connectedAt"> & Count<"received" | "gaps"> & Maybe<Text<"cwd" | "lastEventAt"> & { counters: LineCounters }>;
export type SourcesAnswer = { readonly sources: readonly (SourceRow & { readonly source: EnvelopeSource })[] };
export interface StatusAnswer extends HealthAnswer, SinksAnswer, SourcesAnswer, Text<"data">, Maybe<Text<"note">> {
  readonly hooks: { readonly counts: Counts; readonly untrusted: readonly UntrustedProject[] };
  readonly faults: readonly Fault[];
  readonly paused?: GuardPause;
  readonly store: Count<"events" | "bytes" | "unindexed"> & Text<"sqlite">;
  readonly urls: readonly string[];
  /** `missing`: heads that were kept and that the store does not hold any more. */
  readonly decisions: { readonly head: ChainHead } & Count<"missing">;
}
/**
 * `GET /api/faults`: what stands in a file and is not in force. `what` names the place and the fault, `effect` says what counts until it is
 * mended, `run` is the command that shows it. `denies`: calls are denied because of it. `isEdit`: it came with an edit while the hub was
 * running, and what was in force before stays so. `state` is `modified` for what a project has changed since consent.
 */
export interface Fault
  extends Text<"name" | "file" | "what" | "effect" | "run">,
    Flag<"denies" | "isEdit">,
    Partial<Text<"project"> & Count<"line">> {
  readonly kind: "rule" | "hook" | "config";
  /** `failing`: its last event, or its start, went wrong. */
  readonly state: "broken" | "modified" | "failing";
}
export type FaultsAnswer = { readonly faults: readonly Fault[] };
/** `GET /api/pause`, `POST /api/pause { forMs?, reason?, by? }`, and in `GET /api/status`: until then no guard of the hub is asked. Times are ISO 8601. */
export type GuardPause = Text<"by" | "since" | "until"> & Partial<Text<"reason">>;
export type PauseAnswer = { readonly paused?: GuardPause };
/** `POST /api/resume { by? }`. */
export type ResumeAnswer = Flag<"ended">;
/** The end of the hub's chain of decisions: which chain, how many entries, and the last link. */
export type ChainHead = Text<"chain" | "hash"> & Count<"n">;
/** A head that was written down outside the store; `from` says where. */
export type KeptHead = Partial<Text<"chain">> & Text<"hash" | "from"> & Count<"n"> & Maybe<Text<"at">>;
/**
 * `GET /api/verify?head=`: whether the stored decisions are as they were written. `since`: when the chain, or what is left of it, begins.
 * `uncovered`: decisions stored before the chain began. `removed`: by retention. Of many problems the first are listed; `faults` counts all.
 */
export interface VerifyAnswer
  extends Flag<"ok">,
    Count<"decisions" | "removed" | "uncovered" | "faults">,
    Text<"store">,
    Maybe<Text<"since">> {
  readonly head: ChainHead;
  readonly problems: readonly ChainProblem[];
}
/** `place`, `id` and `time` where they are known: of an event that is gone, the store knows only where it was. */
export interface ChainProblem extends Text<"message">, Maybe<Count<"place" | "n"> & Text<"id" | "at">> {
  readonly kind: "edited" | "removed" | "inserted" | "reordered" | "cut off" | "replaced" | "lost";
}
/** `GET /api/transcripts/:id`: the heads that the hub has heard of a transcript, oldest first. The id is the hash of its first entry. */
export type TranscriptHeadRow = Text<"hash"> & Count<"n" | "at" | "place"> & Flag<"isClosed"> & Maybe<Text<"path">>;
export type TranscriptHeadsAnswer = Text<"id"> & { readonly heads: readonly TranscriptHeadRow[] };
type UntrustedProject = Text<"project"> & { readonly hooks: readonly string[] };

/** A call that waits: `payload` would run, `asked` was asked for at first; an answer is for `hash`, and nothing else; `by` asks, for a reason; `asks` are all, where several do; `cwd`: in which folder. */
export interface PendingApproval extends Text<"id" | "event" | "hash" | "by">, Count<"askedAt" | "expiresAt">, Partial<Text<"cwd">> {
  readonly session?: Session;
  readonly source?: EnvelopeSource;
  readonly payload: unknown;
  readonly asked?: unknown;
  readonly reason?: string;
  readonly asks?: readonly (Text<"by"> & { readonly reason?: string })[];
}
export type ApprovalsAnswer = { readonly approvals: readonly PendingApproval[] };
/** `GET /api/approvals/always`: what nobody is asked about again. `input` without its secrets. */
export type AlwaysAllowed = Text<"hash" | "event" | "tool" | "by" | "input" | "allowedBy"> & Count<"at"> & Partial<Text<"cwd">>;
export type AlwaysAnswer = { readonly always: readonly AlwaysAllowed[] };

/**
 * `POST /api/selftest`: what came of canaries; `denied` and `asked` are as it should be. `broken`: what stands in for the guard denies everything.
 * `no such tool`: no attached agent has a tool it is for. A guard's state is that of its worst.
 */
export type SelftestState = "denied" | "asked" | "failed closed" | "broken" | "let through" | "not asked" | "no such tool" | "no canary";
/** `agents` are those that are attached: each canary was sent as each of them sends its calls. While guards are `paused`, `ok` is false. */
export interface SelftestAnswer extends Flag<"ok">, PauseAnswer {
  readonly agents: readonly string[];
  readonly guards: readonly SelftestGuard[];
}
export interface SelftestGuard extends Text<"name">, Partial<Text<"project" | "hint">> {
  readonly kind: "rule" | "hook" | "broken";
  readonly state: SelftestState;
  /** The attached agents that have no tool it is for. */
  readonly missing?: readonly Text<"agent" | "reason">[];
  readonly canaries: readonly SelftestResult[];
}
/** Without an `agent` it was sent as it is written. */
export interface SelftestResult extends Text<"event">, Count<"ms">, Partial<Text<"reason" | "failure" | "agent">> {
  readonly sent: string | object;
  readonly state: SelftestState;
}

import type { Actor, ReminderSpec, TrailStep, Verdict } from "@hookline/core";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";

// The contract between the hub and its HTTP clients: the dashboard, the command line and yours. docs/hub-api.md explains it.

/** The header for the key that a dashboard got when it signed in. Without it, the dashboard's cookie may only read. */
export const KEY_HEADER = "hookline-key";
/** The login page stores the key under this name in `localStorage`. */
export const KEY_STORAGE = "hookline-key";
/** The header for a confirmation under `hookline protect`: the JSON of a `Confirmation` in base64url. */
export const CONFIRM_HEADER = "hookline-confirm";
/** How a secret becomes a key: scrypt over its bytes in NFKC, then Ed25519 with the result as seed. A client must not accept cheaper costs from a hub. */
export const KEY_COST = { N: 131_072, r: 8, p: 1, bytes: 32 } as const;

/** What a confirmation is for. */
export interface Confirmed {
  readonly challenge: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The SHA-256 of the body's bytes, in hex. */
  readonly body: string;
  /** The SHA-256 of the sentence that the person saw, in hex. */
  readonly allows: string;
}

/** The SHA-256 of this text is what a factor signs: this request and no other, in answer to this challenge. No part has a line break. */
export function confirmText({ challenge, method, path, body, allows }: Confirmed): string {
  return ["hookline confirm 1", challenge, method, path, body, allows].join("\n");
}

/** A confirmation, as the header carries it. */
export type Confirmation = Pick<Confirmed, "challenge" | "allows"> &
  (
    | { readonly factor: "passphrase" | "recovery"; readonly signature: string }
    | { readonly factor: "totp"; readonly code: string }
    | { readonly factor: "passkey"; readonly response: PasskeyAssertion }
  );

/** The answer of `navigator.credentials.get`, in the JSON of the WebAuthn standard. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string };
  readonly clientExtensionResults: object;
}

/** One line about where an event came from, for people. */
export function originText({ way, app, process, unknown }: EventOrigin): string {
  const ways = {
    connection: "a connection",
    request: "an HTTP request",
    agent: "the hooks of an attached agent",
    spool: "a file that a process left for the hub",
    import: "an agent's session file",
    hub: "the hub itself",
  };
  if (process === undefined) return `${ways[way]}${unknown === undefined ? "" : `; the process is not known: ${unknown}`}`;
  const of = processText(process);
  return `${ways[way]}${way === "connection" && app !== undefined ? ` as ${app}` : ""}: ${of}${unknown === undefined ? "" : `; ${unknown}`}`;
}

/** `process 4242 (/usr/bin/node, node main.js) of user 1000` */
export function processText({ pid, program, command, uid }: ProcessRow): string {
  const what = [program, command].filter((text) => text !== undefined).join(", ");
  return `process ${pid}${what === "" ? "" : ` (${what})`}${uid === undefined ? "" : ` of user ${uid}`}`;
}

/** How an answer to an approval was given, by `via` of the record. A Map: any word may come from another process. */
const WAYS: ReadonlyMap<string, string> = new Map([
  ["dashboard", "in the dashboard"],
  ["phone", "on a phone"],
  ["terminal", "in a terminal"],
  ["program", "by a program without a terminal"],
  ["api", "over the API"],
  ["fleet", "over the fleet"],
]);

/** `in a terminal`; empty for a word that the hub does not use. */
export function wayText(via: string): string {
  return WAYS.get(via) ?? "";
}

/** The server-sent events of `GET /api/stream`. The id of a `hook` is its place: `Last-Event-ID` resumes after it. */
export const STREAM_EVENTS = { hello: "hello", hook: "hook", approval: "approval", current: "current", bye: "bye" } as const;
/** The longest message to a session. Longer texts belong in a file that the agent can read. */
export const MAX_STEER_CHARS = 8_000;
/** The percentiles of a handler's times. The answers and the dashboard's columns derive from this list. */
export const HANDLER_PERCENTILES = [
  { field: "p50Ms", label: "p50", share: 0.5 },
  { field: "p95Ms", label: "p95", share: 0.95 },
  { field: "p99Ms", label: "p99", share: 0.99 },
] as const;
/** A field of a handler's times for each percentile. */
export type HandlerTimes = { readonly [field in (typeof HANDLER_PERCENTILES)[number]["field"]]?: number | undefined };

/** One line about how an answer to an approval was given, of the `given` in its record: `in a terminal, by process 4242 (…), started at …`. */
export function givenText(given: unknown): string | undefined {
  const { via, process, startedAt, address } = Object(given) as { readonly [field: string]: unknown };
  const { pid, program, command, uid } = Object(process) as { readonly [field: string]: unknown };
  const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
  const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
  const [known, of] = [number(pid), number(uid)];
  const [file, words] = [text(program), text(command)];
  const row = {
    ...(file !== undefined && { program: file }),
    ...(words !== undefined && { command: words }),
    ...(of !== undefined && { uid: of }),
  };
  const start = number(startedAt);
  const isTime = start !== undefined && !Number.isNaN(new Date(start).getTime());
  const parts = [
    wayText(text(via) ?? ""),
    known === undefined ? "" : `by ${processText({ pid: known, ...row })}`,
    !isTime ? "" : `started at ${new Date(start).toISOString()}`,
    address === undefined ? "" : `from ${text(address)}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join(", ");
}

// Generated by "npm run docs" from the schemas in hub/routes. Do not edit below this line.

/** The body of every answer with a status of 400 or more. */
export interface ErrorAnswer {
  readonly error: {
    /** docs/reference/errors.md lists the codes. */
    readonly code: string;
    /** What went wrong. */
    readonly message: string;
    /** What to do about it: a command or a sentence. */
    readonly fix?: string;
    /** With `HL_CONFIRM`. */
    readonly confirm?: ConfirmNeeded;
  };
}

/** How to confirm a request while `hookline protect` is on. */
export interface ConfirmNeeded {
  readonly challenge: string;
  /** What the request does, for the person who confirms it. */
  readonly allows: string;
  /** How long the challenge works. */
  readonly forMs: number;
  /** Any one of them confirms it. */
  readonly factors: {
    readonly passphrase?: DerivedKey;
    readonly recovery?: DerivedKey;
    /** The six digits of an authenticator app. Each code works once. */
    readonly totp?: true;
    readonly passkey?: {
      /** The dashboard's own name. */
      readonly rpId: string;
      readonly credentials: readonly {
        readonly id: string;
        readonly transports: readonly string[];
      }[];
    };
  };
}

/** The public key that a client derives from a secret with scrypt, and the salt. It checks signatures and cannot make any. */
export interface DerivedKey {
  readonly salt: string;
  readonly publicKey: string;
}

/** Answer of `GET /api/hooks/health`. */
export interface HealthAnswer {
  /** Other than `ok`: the last events could not be stored. */
  readonly status: "ok" | "disk_full" | "store_failed";
  readonly version: string;
  readonly instance: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** Answer of `GET /api/hooks/proof`. */
export interface ProofAnswer {
  readonly instance: string;
  /** An HMAC with the token of hub.json as its key. */
  readonly proof: string;
}

/** Body of `POST /api/login`. */
export interface LoginRequest {
  readonly code: string;
}

/** Answer of `POST /api/login`. */
export interface LoginAnswer {
  /** What the dashboard may do from now on. */
  readonly scopes: readonly ("read" | "approve")[];
  /** The dashboard sends it in the header `hookline-key`. */
  readonly key: string;
  /** The browser had a login that may do more. That login stays. */
  readonly isKept?: true;
}

/** Body of `POST /api/login/link`. */
export interface LinkRequest {
  /** What the dashboard may do. */
  readonly scopes?: readonly ("read" | "approve")[];
  /** Another name or address that the hub listens at, for a link from other machines. */
  readonly host?: string;
  /** A link to the public address, `publicUrl` of `[hub]`. */
  readonly phone?: true;
}

/** Answer of `POST /api/login/link`. */
export interface LinkAnswer {
  /** The code is behind the `#`, which browsers do not send. */
  readonly url: string;
  /** Why the link does not use the dashboard's own name. */
  readonly note?: string | undefined;
}

/** Body of `POST /api/logout`. */
export interface LogoutRequest {
  /** Signs out all dashboards. This needs the scope `approve`. Default: false. */
  readonly everywhere?: boolean;
}

/** Answer of `POST /api/logout`. */
export interface LogoutAnswer {
  readonly out: true;
  /** How many dashboards were signed out everywhere. */
  readonly pages?: number;
}

/** Answer of `GET /api/me`. */
export interface MeAnswer {
  readonly scopes: readonly string[];
  readonly version: string;
  readonly instance: string;
  /** On a fleet hub: the id of its fleet. */
  readonly fleet?: string;
  readonly person?: MePerson;
  /** At the public address: this browser may make a passkey, and answer with one. */
  readonly phone?: {
    /** How many passkeys answer here. */
    readonly passkeys: number;
  };
}

/** The person of the fleet who is signed in. */
export interface MePerson {
  readonly name: string;
  readonly role: "view" | "approve" | "policy" | "admin";
  /** How the person signed in. */
  readonly by: "passkey" | "proxy";
  /** What proves an answer: a passkey, or the hub's own word. Missing for a person who cannot answer here. */
  readonly answers?: "passkey" | "hub";
}

/** Body of `POST /api/operator`. */
export interface OperatorRequest {
  /** What the sender is about to do, for the record of a refusal. */
  readonly action: string;
}

/** Answer of `POST /api/operator`. */
export interface OperatorAnswer {
  /** The sender, as the operating system knows it. */
  readonly process?: ProcessRow;
}

/** A process, as the operating system describes it. */
export interface ProcessRow {
  readonly pid: number;
  /** The path of its executable. */
  readonly program?: string;
  /** The first words of its command line. */
  readonly command?: string;
  /** The number of its user. */
  readonly uid?: number;
}

/** Answer of `GET /api/status`. */
export interface StatusAnswer {
  /** Other than `ok`: the last events could not be stored. */
  readonly status: "ok" | "disk_full" | "store_failed";
  readonly version: string;
  readonly instance: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The folder of the store. */
  readonly data: string;
  /** It ends with what started it: a terminal, or npm. */
  readonly isTied: boolean;
  /** `plain`: any process of the user can operate the hub. `protect`: only with the operator's passkey or passphrase. */
  readonly mode: "plain" | "protect" | "managed";
  /** Every address that the hub listens on over TCP. */
  readonly urls: readonly string[];
  /** Why links do not use the dashboard's own name. */
  readonly note?: string | undefined;
  readonly hooks: {
    /** How many hooks are in each state. */
    readonly counts: { readonly [name: string]: number };
    /** Projects with hooks that await your consent. */
    readonly untrusted: readonly {
      readonly project: string;
      readonly hooks: readonly string[];
    }[];
  };
  readonly faults: readonly Fault[];
  readonly alarms: {
    /** How many alarms no person has acknowledged. */
    readonly waiting: number;
    /** The latest of them. */
    readonly latest?: Alarm;
  };
  readonly paused?: GuardPause;
  /** Absent if the store cannot be read. */
  readonly store?: {
    readonly events: number;
    readonly bytes: number;
    /** Events that text search does not know yet. */
    readonly unindexed: number;
    readonly sqlite: string;
  };
  /** Absent if the store cannot be read. */
  readonly decisions?: {
    readonly head: ChainHead;
    /** How many kept heads the store no longer contains. */
    readonly missing: number;
  };
  readonly sources: readonly SourceRow[];
  readonly sinks: readonly SinkRow[];
}

/** A rule, hook or table that is in a file but not in force. */
export interface Fault {
  /** `config`: the rest of `hookline.toml`. */
  readonly kind: "rule" | "hook" | "config";
  /** `modified`: a project changed it after consent. `failing`: its last event, or its start, failed. `waiting`: for the operator's acceptance. */
  readonly state: "broken" | "modified" | "failing" | "waiting";
  readonly name: string;
  /** The project that brings it. */
  readonly project?: string;
  readonly file: string;
  readonly line?: number;
  /** The place and the fault. */
  readonly what: string;
  /** What applies until the fault is repaired. */
  readonly effect: string;
  /** Calls are denied because of it. */
  readonly denies: boolean;
  /** The fault came with an edit while the hub was running. The former version stays in force. */
  readonly isEdit: boolean;
  /** The command that shows it. */
  readonly run: string;
}

/** What a person must look at. */
export interface Alarm {
  readonly id: string;
  /** `refused`: a process tried to operate and may not. `tampered`: a file that the guards depend on changed. `loosened`: the policy allows more than before. `changed`: the same in plain mode, a notice that does not wait for a person. `operated`: a process without a terminal operated while an attached agent runs. */
  readonly kind: "refused" | "tampered" | "loosened" | "changed" | "operated";
  /** What happened. */
  readonly text: string;
  /** What to do about it: a command or a sentence. */
  readonly fix?: string;
  /** The attached agent that is concerned. */
  readonly agent?: string;
  /** The file that is concerned. */
  readonly path?: string;
  readonly process?: ProcessRow;
  /** How often it happened. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  /** The person who has seen it. */
  readonly acknowledged?: {
    readonly by: string;
    /** Milliseconds since 1970. */
    readonly at: number;
  };
}

/** A pause: until then the hub asks no guard. */
export interface GuardPause {
  readonly by: string;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601. */
  readonly until: string;
  readonly reason?: string;
}

/** The end of the hub's chain of decisions. */
export interface ChainHead {
  readonly chain: string;
  /** The number of entries. */
  readonly n: number;
  /** The last link. */
  readonly hash: string;
}

export interface SourceRow {
  readonly source: EnvelopeSource;
  /** The folder it works in. */
  readonly cwd?: string | undefined;
  /** ISO 8601. */
  readonly connectedAt: string;
  readonly received: number;
  readonly counters?: SourceCounters | undefined;
  /** How many numbers are missing in what it sent. */
  readonly gaps: number;
  /** ISO 8601. */
  readonly lastEventAt?: string | undefined;
  /** The process at the other end, as the operating system knows it. `source` is what it says. */
  readonly peer?: ProcessRow;
}

/** What a process counts itself. */
export interface SourceCounters {
  readonly accepted: number;
  readonly acked: number;
  readonly pending: number;
  readonly dropped: { readonly [name: string]: number };
  readonly seq: number;
}

export interface SinkRow {
  readonly name: string;
  readonly type: string;
  readonly state: "ok" | "failing" | "closed";
  readonly lastError?: string | undefined;
  readonly sent: number;
  /** How many events it dropped, by reason. */
  readonly dropped: { readonly [name: string]: number };
  /** How many stored events it has not received yet. */
  readonly behind: number;
}

/** An event as Hermes sends it. */
export interface HermesFrame {
  readonly event_type: string;
  readonly context?: unknown;
  readonly src?: unknown;
}

/** Answer of `POST /api/hooks/ingest`. */
export interface IngestAnswer {
  readonly stored: number;
  /** How many events were already stored, judged by their ids. */
  readonly duplicates: number;
}

/** Body of `POST /api/imports`. */
export interface ImportRequest {
  /** How many files will be read. */
  readonly files: number;
}

/** Answer of `POST /api/imports`. */
export interface ImportBegun {
  /** Its events are sent with this key. */
  readonly key: string;
}

/** Answer of `POST /api/imports/:key`. */
export interface ImportAnswer {
  readonly stored: number;
  /** How many events were already stored, judged by their ids. */
  readonly duplicates: number;
  /** How many events were left out because the hub has recorded that part of the session itself. */
  readonly watched: number;
  /** How many lines are not valid envelopes. */
  readonly refused: number;
}

/** Body of `POST /api/decide`. */
export interface DecideRequest {
  /** A gate, in any spelling. */
  readonly event: string;
  /** The event's payload. */
  readonly payload: unknown;
  /** 5,000 unless given; 600,000 with `wait`. After that the answer is a denial. */
  readonly timeoutMs?: number;
  /** Stores the event with its decision. Needs `source`. Default: false. */
  readonly record?: boolean;
  /** If a guard asks, a person is asked, and the answer is theirs. Default: false. */
  readonly wait?: boolean;
  /** The event's id. The same question again gets the same answer. */
  readonly id?: string;
  readonly session?: Session;
  /** The agent that asks. */
  readonly source?: {
    /** The name of your agent. */
    readonly app: string;
    readonly host?: string;
    readonly pid?: number;
    /** The process; `app` unless given. */
    readonly instance?: string;
  };
}

/** A session, and the session that started it. */
export interface Session {
  readonly id: string;
  readonly parentId?: string;
}

/** Answer of `POST /api/decide`. */
export interface DecideAnswer {
  readonly verdict: Verdict;
  /** True for `pass` and `allow`. */
  readonly allowed: boolean;
  readonly reason?: string;
  /** The name of the actor that decided. */
  readonly by?: string;
  readonly actor?: Actor;
  /** The code of a failure. */
  readonly cause?: string;
  /** What may run, after every rewrite. */
  readonly payload: unknown;
  readonly modified: boolean;
  readonly endLoop: boolean;
  readonly again?: {
    readonly reason?: string;
    readonly by: string;
  };
  readonly handled?: {
    readonly output: unknown;
    readonly by: string;
  };
  /** Text to add to the model's context. */
  readonly injections: readonly string[];
  readonly reminders: readonly {
    readonly spec: ReminderSpec;
    readonly by: string;
  }[];
  /** What each actor did, in order. */
  readonly trail: readonly TrailStep[];
  /** The event is on disk. */
  readonly recorded?: {
    readonly id: string;
    /** False if the same question was already stored with the same decision. */
    readonly isNew: boolean;
  };
}

/** Body of `POST /api/transform`. */
export interface TransformRequest {
  /** A transform, in any spelling. */
  readonly event: string;
  /** The value to transform. */
  readonly value: unknown;
  /** The rest of the event, such as the tool and its input. */
  readonly payload?: unknown;
  /** 5,000 unless given. */
  readonly timeoutMs?: number;
  readonly session?: Session;
  /** The agent that asks. */
  readonly source?: {
    /** The name of your agent. */
    readonly app: string;
    readonly host?: string;
    readonly pid?: number;
    /** The process; `app` unless given. */
    readonly instance?: string;
  };
}

/** Answer of `POST /api/transform`. */
export interface TransformAnswer {
  /** `[withheld: …]` if a closed handler failed or did not answer in time. */
  readonly value: unknown;
  readonly isReplaced: boolean;
  /** Text to add to the model's context. */
  readonly injections: readonly string[];
  readonly reminders: readonly {
    readonly spec: ReminderSpec;
    readonly by: string;
  }[];
  /** What each actor did, in order. */
  readonly trail: readonly TrailStep[];
  /** The code of a failure. */
  readonly cause?: string;
}

/** Answer of `GET /api/events`. */
export interface EventsAnswer {
  readonly events: readonly PlacedEvent[];
  /** For the next page; missing on the last one. */
  readonly cursor?: number;
  /** With `text`: so many of the latest events are not searched yet. Missing if all are. */
  readonly unindexed?: number;
  /** With `unindexed`: the time of the last event that is searched. */
  readonly indexedUntil?: string;
}

/** An event and its place in the store. Later events have higher places. */
export type PlacedEvent = Envelope & {
  readonly place: number;
  /** In a fleet's store: the host that sent the event, by the name of its credential. */
  readonly host?: string;
  /** It was read from a session file of the agent: no guard saw it. */
  readonly imported?: true;
  /** Its stored text is damaged: id, time, event, source, session and tool are known, the rest is lost. */
  readonly damaged?: true;
};

/** Answer of `GET /api/events/:id`. */
export interface EventAnswer {
  /** `decision.trail` says what each handler did. */
  readonly event: PlacedEvent;
  /** Only the process that reported the event says that a person, the hub or the policy decided. */
  readonly claimed?: true;
  /** Missing for events of a fleet, and for those that older versions stored. */
  readonly origin?: EventOrigin;
  /** The event names an instance that another process connected as first: this one. Missing where there is no conflict. */
  readonly provedBy?: EventOrigin;
  /** The event names another app or instance than its process connected with: the process reports it for another one. */
  readonly forAnother?: true;
}

/** By which way and from which process an event reached the hub, as the operating system knows it. */
export interface EventOrigin {
  /** `connection`: of a process with a bus. `request`: over HTTP. `agent`: an attached agent's hooks. `spool`: a file that a process left. `import`: a session file. `hub`: the hub itself says it. */
  readonly way: "connection" | "request" | "agent" | "spool" | "import" | "hub";
  /** When the connection or the process was first seen. ISO 8601. */
  readonly since: string;
  /** The name that the process connected with, or the agent's id. */
  readonly app?: string;
  /** The instance that the process connected as. */
  readonly instance?: string;
  readonly process?: ProcessRow;
  /** Why the process is not known, or not fully. */
  readonly unknown?: string;
}

/** Answer of `GET /api/verify`. */
export interface VerifyAnswer {
  readonly ok: boolean;
  /** The file. */
  readonly store: string;
  /** How many decisions were checked. */
  readonly decisions: number;
  /** How many decisions retention removed. */
  readonly removed: number;
  /** The sessions that a person deleted for good, as far as the chain reaches. */
  readonly erased: readonly ErasedSession[];
  /** How many decisions were stored before the chain began. */
  readonly uncovered: number;
  /** The start of the chain, or of its rest. */
  readonly since?: string | undefined;
  readonly head: ChainHead;
  /** How many problems there are. */
  readonly faults: number;
  /** At most the first 100. */
  readonly problems: readonly ChainProblem[];
}

export interface ErasedSession {
  readonly session: string;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly decisions: number;
}

export interface ChainProblem {
  readonly kind: "edited" | "removed" | "inserted" | "reordered" | "cut off" | "replaced" | "lost";
  readonly message: string;
  /** Where it is known, like the next three: the store knows only the place of an event that is gone. */
  readonly place?: number | undefined;
  readonly n?: number | undefined;
  readonly id?: string | undefined;
  readonly at?: string | undefined;
  /** The file that keeps the head which the store does not hold. */
  readonly headFile?: string | undefined;
}

/** Body of `POST /api/rules/backtest`. */
export interface BacktestRequest {
  /** `[[rule]]` tables, as in `hookline.toml`. */
  readonly rules?: string;
  /** A rule in force, in place of `rules`. */
  readonly name?: string;
  /** From this time on: ISO 8601, milliseconds since 1970, or an age such as `30d`. Default: "30d". */
  readonly since?: string;
  /** No more events than this, the newest. Default: 20000. */
  readonly limit?: number;
}

/** Answer of `POST /api/rules/backtest`. */
export interface BacktestAnswer {
  /** How many recorded events the rules were asked about. */
  readonly calls: number;
  /** How many of them were imported. */
  readonly imported: number;
  /** Milliseconds since 1970. */
  readonly first?: number;
  readonly last?: number;
  /** How many get the same answer. */
  readonly same: number;
  /** How many cannot be judged, because the record hides or cuts something that a rule reads. */
  readonly inconclusive: number;
  readonly unreadable: number;
  /** How many a hook denied, asked about, changed or failed on. Hooks are not tried. */
  readonly byHooks: number;
  /** What the rules said before. */
  readonly was: SaidCounts;
  /** What the rules say now. */
  readonly now: SaidCounts;
  /** How many calls get another answer, by the new one. */
  readonly changes: SaidCounts;
  readonly rules: readonly BacktestRule[];
  /** Calls with another answer and calls that cannot be judged, the most frequent of each kind. */
  readonly examples: readonly BacktestExample[];
  /** Calls that no rule looks at, by event and tool. */
  readonly unlooked: readonly {
    readonly event: string;
    readonly tool: string;
    readonly calls: number;
  }[];
  /** False if it was ended early. */
  readonly isComplete: boolean;
  /** Rules that cannot be used, and why. */
  readonly problems: readonly string[];
  /** Rules that are not tried, because they change values that are not recorded. */
  readonly untried: readonly string[];
}

export interface SaidCounts {
  readonly block: number;
  readonly ask: number;
  readonly rewrite: number;
  readonly allow: number;
  readonly pass: number;
}

export interface BacktestRule {
  readonly name: string;
  readonly do: string;
  /** How many calls it matched. */
  readonly matched: number;
  /** How many calls it decided. */
  readonly decided: number;
  /** How many calls it might have matched if the record were complete. */
  readonly inconclusive: number;
  /** Matches by day: the start of the day in UTC, in milliseconds since 1970. */
  readonly days: readonly {
    readonly day: number;
    readonly matched: number;
  }[];
}

export interface BacktestExample {
  /** The newest event of its kind. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: string;
  readonly app: string;
  readonly session?: string;
  readonly tool?: string;
  /** The command, path or prompt, shortened. */
  readonly about: string;
  /** What the rules said before. */
  readonly was: RulesSaid;
  /** What the rules say now. */
  readonly now: RulesSaid;
  /** The rule that decides now. */
  readonly by?: string;
  readonly reason?: string;
  /** What really came of the call. Missing if no guard was asked. */
  readonly verdict?: Verdict;
  /** The record hides or cuts something that a rule reads. */
  readonly isInconclusive?: true;
  /** How many calls are like it. */
  readonly times: number;
}

export type RulesSaid = "block" | "ask" | "rewrite" | "allow" | "pass";

/** Answer of `GET /api/rules/suggestions`. */
export interface SuggestionsAnswer {
  /** How many recorded calls the suggestions were tried on. */
  readonly calls: number;
  /** Those with the most approvals first. */
  readonly suggestions: readonly RuleSuggestion[];
}

export interface RuleSuggestion {
  readonly name: string;
  /** The rule that asks. */
  readonly answers: string;
  /** How often people approved such calls. */
  readonly approvals: number;
  /** The names of the people. */
  readonly people: readonly string[];
  /** The first approval, in milliseconds since 1970. */
  readonly first: number;
  /** The last approval. */
  readonly last: number;
  /** The `[[rule]]` table, as it would stand in `hookline.toml`. */
  readonly toml: string;
  /** How many recorded calls it would have let through without a question: those that a person approved, and others. */
  readonly answered: {
    readonly approved: number;
    readonly others: number;
  };
  /** Such calls. Those without an approval come first. */
  readonly examples: readonly {
    readonly id: string;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly about: string;
    /** What came of the call. `not judged`: no guard saw it, because it was imported. */
    readonly was: "approved" | "not answered" | "not asked" | "not judged";
    readonly times: number;
  }[];
}

/** Body of `POST /api/rules/suggestions/:name`. */
export interface AddSuggestionRequest {
  /** As in the request that showed the suggestion. Default: "90d". */
  readonly since?: string;
  /** Default: 5. */
  readonly minimum?: number;
}

/** Answer of `POST /api/rules/suggestions/:name`. */
export interface AddSuggestionAnswer {
  readonly name: string;
  readonly file: string;
}

/** Answer of `GET /api/transcripts/:id`. */
export interface TranscriptHeadsAnswer {
  readonly id: string;
  readonly heads: readonly TranscriptHeadRow[];
}

export interface TranscriptHeadRow {
  readonly n: number;
  readonly hash: string;
  readonly isClosed: boolean;
  readonly path?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly place: number;
}

/** Answer of `GET /api/fleet`. */
export interface FleetAnswer {
  /** `none`: the hub is in no fleet. */
  readonly role: "none" | "host" | "hub";
  /** The name of the hub's credential. */
  readonly name?: string;
  /** The id of the fleet. */
  readonly fleet?: string;
  /** Its name on the server. */
  readonly tenant?: string;
  /** On a fleet hub: the origin where people sign in. */
  readonly dashboard?: string;
  /** What it is doing: whether it is connected, positions, counters, faults. */
  readonly status?: { readonly [name: string]: unknown };
  /** On a fleet hub: the hosts, by name. */
  readonly hosts?: readonly FleetHost[];
}

/** A host as the fleet hub knows it. */
export interface FleetHost {
  /** The name of its credential. */
  readonly name: string;
  readonly isPresent: boolean;
  /** Milliseconds since 1970; missing if it was not present since this hub started. */
  readonly seenAt?: number;
  /** What the host says of itself: version, policy, positions, counters. */
  readonly presence?: { readonly [name: string]: unknown };
  /** How far its clock is ahead of this machine's; negative if it is behind. */
  readonly clockAheadMs?: number;
  /** The position in the host's store up to which this store has its events. */
  readonly position: number;
  /** How many positions of its store are not here yet; missing for a host that is away. */
  readonly behind?: number;
  /** Messages stored since this hub started. */
  readonly stored: number;
  /** Messages that came again since this hub started. */
  readonly duplicates: number;
  /** Events that cannot come any more, or were refused, since this hub started. Each is told by an event `fleet:gap`. */
  readonly missing: number;
}

/** Body of `POST /api/fleet/follow`. */
export interface FollowFleetRequest {
  /** What the hub joins with: it is stored first, where only the hub's user can read it. `null`: the stored one is removed. */
  readonly credential: { readonly [name: string]: unknown } | null;
}

/** Answer of `POST /api/fleet/follow`. */
export interface FollowFleetAnswer {
  /** `none`: the hub is in no fleet. */
  readonly role: "none" | "host" | "hub";
}

/** Answer of `GET /api/fleet/questions`. */
export interface FleetQuestionsAnswer {
  readonly questions: readonly FleetQuestion[];
}

/** A call on a host that waits for a person. */
export interface FleetQuestion {
  readonly host: string;
  readonly id: string;
  readonly event: string;
  /** The hash of what would run. */
  readonly hash: string;
  /** The digest of the question. An answer names it. */
  readonly shown: string;
  /** The guard that asks. */
  readonly by: string;
  /** Milliseconds since 1970, by the host's clock. */
  readonly askedAt: number;
  /** Milliseconds since 1970, by the host's clock. */
  readonly expiresAt: number;
  /** What would run, without secrets. */
  readonly payload: unknown;
  /** What the agent asked for, if a guard rewrote it. */
  readonly asked?: unknown;
  readonly reason?: string;
  readonly asks?: readonly {
    readonly by: string;
    readonly reason?: string;
  }[];
  readonly app?: string;
  readonly session?: string;
  readonly cwd?: string;
  /** What `always` would pin. Missing for what cannot be allowed for good. */
  readonly call?: string;
  /** The call is too large to be shown here, and can only be denied. */
  readonly isCut?: boolean;
}

/** Body of `POST /api/fleet/questions/answer`. */
export interface FleetAnswerRequest {
  /** JSON: fleet, host, question, hash, shown, verdict, by, until, and if wanted reason and always. */
  readonly statement: string;
  /** The passkey's signature of the statement. Only a person whom a proxy named can do without it, if the hub may vouch. */
  readonly response?: {
    readonly id: string;
    readonly rawId: string;
    readonly type: "public-key";
    readonly response: {
      readonly clientDataJSON: string;
      readonly authenticatorData: string;
      readonly signature: string;
    };
    readonly clientExtensionResults: { readonly [name: string]: unknown };
  };
}

/** Answer of `POST /api/fleet/questions/answer`. */
export interface FleetAnswerAnswer {
  readonly isGiven: true;
}

/** Answer of `GET /api/fleet/audit`. */
export interface FleetAuditAnswer {
  readonly entries: readonly FleetAuditEntry[];
}

/** An entry of the fleet's audit. */
export interface FleetAuditEntry {
  /** ISO 8601, by the server's clock. */
  readonly at: string;
  /** Whose credential wrote it: `person`, `hub` or `host`. */
  readonly kind: string;
  /** The name of the credential. */
  readonly name: string;
  readonly action: string;
  readonly facts: { readonly [name: string]: unknown };
}

/** Answer of `GET /api/sign-in`. */
export interface SignInWaysAnswer {
  /** False where no passkey works: no phone was enrolled at this address, and this is not a fleet hub. */
  readonly passkeys: boolean;
  /** People of a fleet sign in here. */
  readonly fleet: boolean;
}

/** Body of `POST /api/sign-in/options`, `POST /api/approvals/always/:hash/forget`, `POST /api/selftest`, `POST /api/protect/passkey`, `POST /api/protect/off`, `POST /api/phone/passkey/options`, `POST /api/demo`, `POST /api/token/metrics`, `POST /api/stop`, `POST /api/handover`. A body without fields. */
export type EmptyRequest = { readonly [name: string]: never };

/** Answer of `POST /api/sign-in/options`. */
export interface SignInOptionsAnswer {
  readonly challenge: string;
  readonly rpId: string;
}

/** Body of `POST /api/sign-in`. */
export interface PasskeyLoginRequest {
  /** The answer of `navigator.credentials.get`, in the JSON of the WebAuthn standard. */
  readonly response: {
    readonly id: string;
    readonly rawId: string;
    readonly type: "public-key";
    readonly response: {
      readonly clientDataJSON: string;
      readonly authenticatorData: string;
      readonly signature: string;
    };
    readonly clientExtensionResults: { readonly [name: string]: unknown };
  };
}

/** Answer of `POST /api/sign-in`. */
export interface PasskeyLoginAnswer {
  /** The person of the fleet. Missing for a phone. */
  readonly person?: string;
  /** The dashboard sends it in the header `hookline-key`. */
  readonly key: string;
}

/** Body of `POST /api/fleet/enrol/options`. */
export interface EnrolOptionsRequest {
  /** SHA-256 of the code in the link, in hex. The hub does not learn the code. */
  readonly id: string;
}

/** Answer of `POST /api/fleet/enrol/options`. */
export interface EnrolOptionsAnswer {
  readonly person: string;
  readonly role: "view" | "approve" | "policy" | "admin";
  readonly challenge: string;
  readonly rpId: string;
  /** Bytes in base64url, the same for each passkey of the person. */
  readonly user: string;
  /** The ids of the passkeys that are known. */
  readonly exclude: readonly string[];
}

/** Body of `POST /api/fleet/enrol`. */
export interface EnrolRequest {
  /** SHA-256 of the code in the link, in hex. The hub does not learn the code. */
  readonly id: string;
  /** The answer of `navigator.credentials.create`, in the JSON of the WebAuthn standard. */
  readonly response: {
    readonly id: string;
    readonly rawId: string;
    readonly type: "public-key";
    readonly response: {
      readonly clientDataJSON: string;
      readonly attestationObject: string;
    };
    readonly clientExtensionResults: object;
  };
  /** HMAC-SHA-256 with the code, over the passkey's id, clientDataJSON and attestationObject, each on a line, in hex. */
  readonly proof: string;
}

/** Answer of `POST /api/fleet/enrol`. */
export interface EnrolAnswer {
  readonly person: string;
}

/** A stream begins with it. */
export interface StreamHello {
  readonly instance: string;
  /** The place of the last stored event. */
  readonly place: number;
}

/** Sent at the start, and when a call begins or ends to wait for a person. */
export interface StreamApproval {
  /** How many calls wait for a person. */
  readonly approvals: number;
}

/** Sent once, when the client has everything that it missed. */
export interface StreamCurrent {
  /** Every matching event up to this place has been sent. */
  readonly place: number;
}

/** A stream ends with it. `replaced`: another hub takes this one's place. */
export interface StreamBye {
  readonly reason: "stopping" | "replaced" | "failed" | "signed_out" | "token_rotated";
}

/** Answer of `GET /api/overview`. */
export interface OverviewAnswer {
  /** The start of the first step, in milliseconds since 1970. */
  readonly from: number;
  readonly stepMs: number;
  /** One number per step. */
  readonly series: {
    readonly events: readonly number[];
    readonly denied: readonly number[];
    readonly asked: readonly number[];
  };
  /** How long gates took, per step; null in a step without a decision. */
  readonly latency: {
    readonly p50Ms: readonly (number | null)[];
    readonly p95Ms: readonly (number | null)[];
    readonly p99Ms: readonly (number | null)[];
  };
  readonly topTools: readonly {
    readonly tool: string;
    readonly count: number;
    readonly denied: number;
  }[];
  /** By guard. */
  readonly topRules: readonly {
    readonly rule: string;
    readonly denied: number;
    readonly asked: number;
  }[];
  /** Agents with events in this time or with a running process, without the hub itself. */
  readonly agents: readonly {
    readonly app: string;
    /** The last event or, if there is none, when it connected. */
    readonly lastAt: number;
    readonly events: number;
    /** How many of its processes run now: those that are connected, and those of an attached agent. */
    readonly online: number;
  }[];
}

/** Answer of `GET /api/usage`. */
export interface UsageAnswer {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly by: "day" | "agent" | "model" | "project" | "session";
  readonly total: UsageSums;
  /** Days in their order, all others by cost. */
  readonly rows: readonly UsageRow[];
  /** There are more than 1,000 rows. */
  readonly isCut: boolean;
  /** Active sessions that have reported no usage, by agent. What they used is not known. */
  readonly silent: readonly {
    readonly app: string;
    readonly sessions: number;
  }[];
  /** Between which days the prices of the table were compared with the vendors' pages. */
  readonly pricesChecked: {
    readonly oldest: string;
    readonly newest: string;
  };
}

export interface UsageSums {
  /** How many events reported usage. */
  readonly requests: number;
  /** Without the next two kinds. Missing if no event reported it, like all fields with a `?`. */
  readonly inputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** A part of `outputTokens`. */
  readonly reasoningTokens?: number | undefined;
  /** In US dollars, as far as it is known. */
  readonly costUsd?: number | undefined;
  /** The part of `costUsd` that comes from the prices of models, not from the agent. */
  readonly estimatedUsd?: number | undefined;
  /** Tokens of models without a known price. `costUsd` does not include them. */
  readonly unpricedTokens: number;
}

export interface UsageRow {
  /** The day, agent, model, project folder or session; empty if it is not known. */
  readonly key: string;
  /** Of a session. */
  readonly agent?: string | undefined;
  /** How many events reported usage. */
  readonly requests: number;
  /** Without the next two kinds. Missing if no event reported it, like all fields with a `?`. */
  readonly inputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** A part of `outputTokens`. */
  readonly reasoningTokens?: number | undefined;
  /** In US dollars, as far as it is known. */
  readonly costUsd?: number | undefined;
  /** The part of `costUsd` that comes from the prices of models, not from the agent. */
  readonly estimatedUsd?: number | undefined;
  /** Tokens of models without a known price. `costUsd` does not include them. */
  readonly unpricedTokens: number;
}

/** Answer of `GET /api/sessions`. */
export interface SessionsAnswer {
  readonly sessions: readonly SessionRow[];
}

export interface SessionRow {
  readonly id: string;
  /** The agent; empty while only the hub has reported on the session. */
  readonly app: string;
  /** The agent's latest process; empty like `app`. */
  readonly source: string;
  /** The host of the fleet that sent it. */
  readonly host?: string | undefined;
  readonly agent?: string | undefined;
  /** The model that it used last. */
  readonly model?: string | undefined;
  /** The folder that it began in. */
  readonly cwd?: string | undefined;
  /** Its first prompt, on one line. */
  readonly title?: string | undefined;
  /** The session that started it. */
  readonly parentId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  readonly events: number;
  readonly denied: number;
  /** How many calls a person was asked about. */
  readonly asked: number;
  /** As far as the agent reports it, like the next two. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly costUsd?: number | undefined;
}

/** Body of `POST /api/sessions/:id/delete`. */
export interface EraseRequest {
  /** The person, for the record. */
  readonly by: string;
}

/** Answer of `POST /api/sessions/:id/delete`. */
export interface EraseAnswer {
  readonly sessions: readonly string[];
  readonly events: number;
  /** Copies of the store that were deleted: they were made before an update. */
  readonly copies: readonly string[];
  /** Archives that deleted their files of the sessions, or could not. */
  readonly elsewhere: readonly {
    readonly name: string;
    readonly files: number;
    readonly fault?: string;
  }[];
  /** Sinks that have got events and cannot delete them. */
  readonly left: readonly string[];
}

/** Body of `POST /api/prune`. */
export interface PruneRequest {
  /** Events that are older go. */
  readonly maxAgeMs?: number;
  /** The oldest go until the store takes no more. */
  readonly maxBytes?: number;
  /** Removes nothing, and says how many events would go; for `maxBytes`, about. */
  readonly dryRun?: boolean;
}

/** Answer of `POST /api/prune`. */
export interface PruneAnswer {
  readonly removed: number;
}

/** Answer of `GET /api/sessions/:id/timeline`. */
export interface TimelineAnswer {
  readonly session: string;
  readonly spans: readonly TimelineSpan[];
  /** There are more spans. */
  readonly isCut: boolean;
}

export interface TimelineSpan {
  readonly id: string;
  readonly parentId?: string | undefined;
  readonly kind: "turn" | "tool" | "worker" | "gate" | "other";
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startAt: number;
  /** Missing while it runs, and for a moment (`gate`, `other`). */
  readonly endAt?: number | undefined;
  readonly verdict?: Verdict;
  readonly status?: string | undefined;
  /** How long the guards took. */
  readonly gateMs?: number | undefined;
  /** How long it waited for a person. */
  readonly waitMs?: number | undefined;
  /** What a tool or a worker does, in one line of at most 120 characters. */
  readonly detail?: string | undefined;
  /** What the agent had asked for, like `detail`, if the call was rewritten since. */
  readonly asked?: string | undefined;
  /** The stored text of its event is damaged. */
  readonly damaged?: true;
  readonly eventId: string;
}

/** Body of `POST /api/sessions/:id/inject`. */
export interface InjectRequest {
  /** At most 8,000 characters. */
  readonly text: string;
  /** Blocks the session's next tool call or checkpoint, with the text as the reason. Default: false. */
  readonly interrupt?: boolean;
  /** The name for the record. Default: "a person". */
  readonly by?: string;
  /** Sent by the command line. */
  readonly via?: "cli";
}

/** Answer of `POST /api/sessions/:id/inject`, `POST /api/sessions/:id/remind`. */
export interface SteerAnswer {
  /** Each `session:steer` event about it has this id. */
  readonly id: string;
  /** `sent` to the session's process, or `waiting` for the attached agent's next event. */
  readonly status: "sent" | "waiting" | "dropped";
  /** The agent that is told. */
  readonly agent: string;
}

/** Body of `POST /api/sessions/:id/remind`. */
export interface RemindRequest {
  /** At most 8,000 characters. */
  readonly body: string;
  readonly tags?: readonly string[];
  /** A later reminder with the same key replaces this one. */
  readonly dedupeKey?: string;
  /** How many turns it lasts. */
  readonly ttlTurns?: number;
  readonly preserveOnCompact?: boolean;
  readonly propagate?: "all" | "session" | "none";
  readonly roleHint?: "system" | "developer" | "user_block" | "ephemeral_cache";
  /** The name for the record. Default: "a person". */
  readonly by?: string;
  /** Sent by the command line. */
  readonly via?: "cli";
}

/** Answer of `GET /api/handlers`. */
export interface HandlersAnswer {
  readonly handlers: readonly HandlerRow[];
  /** The events that connected processes ask the hub about. */
  readonly gates: readonly {
    readonly event: string;
    readonly onFailure: string;
    readonly timeoutMs: number;
  }[];
  /** All hooks, including those that do not run. */
  readonly hooks: readonly HookSummary[];
  /** The rules of `hookline.toml`. */
  readonly rules: readonly RuleSummary[];
}

/** A handler of the hub or of a connected process. */
export interface HandlerRow {
  readonly id: number;
  readonly event: string;
  readonly name: string;
  /** `rules` for a rule of `hookline.toml`, or the id of a hook. */
  readonly owner?: string | undefined;
  readonly actor: Actor;
  readonly description?: string | undefined;
  /** The file it comes from. */
  readonly path?: string | undefined;
  readonly priority: number;
  readonly stage: "rewrite" | "guard" | "observe";
  /** What its failure means for the call. */
  readonly onFailure: "open" | "closed" | "abort";
  readonly timeoutMs: number;
  readonly once: boolean;
  readonly tool?: string | readonly string[] | undefined;
  readonly match?: string | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly health?: HandlerHealthRow | undefined;
  readonly stats?: HandlerCounts;
  readonly window?: HandlerWindow | undefined;
  /** The last call, in milliseconds since 1970. Earlier runs of the hub count too. */
  readonly lastAt?: number | undefined;
  /** Why it guards nothing: no attached agent has a tool that it is for. */
  readonly note?: string;
}

/** How the process behind a handler is doing. */
export interface HandlerHealthRow {
  readonly state: string;
  readonly restarts?: number;
}

/** What a handler did since the start of its process. */
export interface HandlerCounts {
  readonly calls: number;
  readonly failures: number;
  readonly timeouts: number;
  readonly denies: number;
  readonly p50Ms?: number | undefined;
  readonly p99Ms?: number | undefined;
  /** Milliseconds since 1970. */
  readonly lastFiredAt?: number | undefined;
  readonly neverFired: boolean;
  /** Milliseconds since 1970. */
  readonly suspendedUntil?: number | undefined;
}

/** What a handler did in the minutes that were asked for, by the trails of stored decisions. */
export interface HandlerWindow {
  readonly calls: number;
  readonly denied: number;
  readonly asked: number;
  readonly failed: number;
  readonly p50Ms?: number | undefined;
  readonly p95Ms?: number | undefined;
  readonly p99Ms?: number | undefined;
}

export interface HookSummary {
  /** The `owner` of its handlers. */
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** `fleet`: a signed bundle. */
  readonly from: "fleet" | "user" | "project";
  /** The project's folder. */
  readonly project?: string;
  readonly state: string;
  /** The file or folder it is in. */
  readonly path: string;
  /** How it writes its JSON, if not in Hookline's own dialect. */
  readonly dialect?: string;
  /** What is wrong with it, and what to do. */
  readonly problems: readonly string[];
  /** How Hookline reads it, where that is not obvious. */
  readonly remarks?: readonly string[];
}

export interface RuleSummary {
  readonly name: string;
  /** False only for a rule that is switched off. */
  readonly enabled: boolean;
  /** `shadow`: it decides nothing, and what it would have said is recorded. `waiting`: a change of it waits for acceptance. */
  readonly state: "active" | "shadow" | "waiting" | "disabled" | "broken";
  readonly path: string;
  /** Why it is broken, or what waits. */
  readonly problems: readonly string[];
  /** For a rule with `count`, `after`, `repeats` or `budget`: what it has seen so far. */
  readonly remembers?: {
    /** Such as `20 times in 5m per session`. */
    readonly condition: string;
    /** What was counted, the latest first. */
    readonly rows: readonly {
      readonly of: string;
      /** Such as `12 of 20`. */
      readonly value: string;
      readonly isReached: boolean;
    }[];
    /** How many rows are left out. */
    readonly more: number;
    /** Why it cannot be relied on. */
    readonly problem?: string;
  };
}

/** Answer of `GET /api/faults`. */
export interface FaultsAnswer {
  readonly faults: readonly Fault[];
}

/** Answer of `GET /api/alarms`. */
export interface AlarmsAnswer {
  readonly alarms: readonly Alarm[];
  /** How many alarms no person has acknowledged. */
  readonly waiting: number;
  /** How many of these are too old for the list. The events are stored. */
  readonly unlisted: number;
}

/** Body of `POST /api/alarms/acknowledge`. */
export interface AcknowledgeRequest {
  /** The alarms that the person saw. One that came later stays. */
  readonly ids: readonly string[];
  /** The number of older alarms that the person saw. Default: 0. */
  readonly unlisted?: number;
  /** The name for the record. Default: "a person". */
  readonly by?: string;
}

/** Answer of `POST /api/alarms/acknowledge`. */
export interface AcknowledgeAnswer {
  /** How many alarms. */
  readonly acknowledged: number;
}

/** Answer of `GET /api/policy`. */
export interface PolicyAnswer {
  readonly mode: "plain" | "protect" | "managed";
  readonly changes: readonly PolicyChange[];
  /** Why it is unknown what was accepted before. */
  readonly lost?: string;
  /** Why changes wait in plain mode too: they come from a backup that another hub made. */
  readonly held?: string;
}

/** A change on disk that waits for acceptance. */
export interface PolicyChange {
  /** Such as `rule:no-push` or `hook:hooks/guard`. */
  readonly id: string;
  readonly kind: "rule" | "hook" | "setting";
  readonly name: string;
  readonly change: "new" | "changed" | "removed";
  /** Something else would run. */
  readonly isCode: boolean;
  /** What differs from the accepted policy. */
  readonly what: string;
  /** What applies until it is accepted. */
  readonly inForce: string;
  /** Calls are denied because of it. */
  readonly denies: boolean;
  /** Identifies this version of the change. Send it back to accept exactly this. */
  readonly digest: string;
  /** The difference, in the form of `diff -u`; of a new hook, its files. */
  readonly diff: string;
}

/** Answer of `GET /api/policy/bundle`. */
export interface BundleStatus {
  /** False where the policy consists of local files alone. */
  readonly isConfigured: boolean;
  /** The folder, file or URL from which bundles come; `fleet` for a fleet that the hub has joined. */
  readonly from?: string;
  readonly channel?: string;
  readonly onStale?: "keep" | "tighten" | "closed";
  /** Why the policy is out of date. */
  readonly stale?: string;
  /** What applies while it is out of date. */
  readonly effect?: string;
  /** Why the source could not be read at the last try. */
  readonly failed?: string;
  /** Why the last bundle that was offered is not in force. */
  readonly refused?: string;
  /** The bundle in force. */
  readonly bundle?: {
    readonly name: string;
    readonly channel: string;
    readonly serial: number;
    readonly digest: string;
    readonly signer: string;
    /** Of the signer's key. */
    readonly fingerprint: string;
    readonly notAfter: number;
    readonly activatedAt: number;
    /** When the source last said that there is nothing newer. */
    readonly confirmedAt: number;
  };
}

/** Answer of `GET /api/policy/bundle/rules`. */
export interface BundleRulesAnswer {
  readonly bundle?: {
    readonly name: string;
    readonly channel: string;
    readonly serial: number;
    readonly signer: string;
    /** The text of each file by its path. */
    readonly files: { readonly [name: string]: string };
  };
}

/** Body of `POST /api/policy/accept`. */
export interface PolicyAcceptRequest {
  /** What is in force already is left out of the answer. */
  readonly changes: readonly {
    readonly id: string;
    /** The `digest` of the change that the operator saw. Another version is refused, and then nothing is accepted. */
    readonly digest?: string;
    /** In place of `digest`: what the operator set on the accepted version. A change that does anything else is refused. */
    readonly set?: {
      readonly enabled?: boolean;
      readonly mode?: "enforce";
    };
  }[];
}

/** Answer of `POST /api/policy/accept`. */
export interface PolicyAcceptAnswer {
  /** Their ids. */
  readonly accepted: readonly string[];
}

/** Answer of `GET /api/tools`. */
export interface ToolsAnswer {
  /** The ids of the attached agents. */
  readonly attached: readonly string[];
  /** The tools of stored calls, the latest first; at most 1,000. */
  readonly seen: readonly string[];
}

/** Body of `POST /api/handlers/test`. */
export interface TrialRequest {
  /** The hook's id, or `rules`. */
  readonly owner: string;
  /** The name of a rule, for the owner `rules`. */
  readonly name?: string;
  readonly event?: string;
}

/** Answer of `POST /api/handlers/test`. */
export interface TrialAnswer {
  readonly event: string;
  /** How long it took. */
  readonly ms: number;
  readonly verdict: string;
  /** False if the handler did not match the sample. */
  readonly wasAsked: boolean;
  readonly reason?: string | undefined;
  readonly failure?: string | undefined;
  readonly injections?: readonly string[];
  readonly reminders?: readonly string[];
  /** The payload, if the handler rewrote it. */
  readonly payload?: unknown;
  /** The value, if the handler replaced it. */
  readonly value?: unknown;
  readonly again?: string | undefined;
  readonly errors: readonly string[];
  /** What is good to know, such as that the hub still runs an older version. */
  readonly notes?: readonly string[];
}

/** Body of `POST /api/handlers/:owner`. */
export interface SwitchRequest {
  readonly enabled: boolean;
  /** The name of a rule, for the owner `rules`. */
  readonly name?: string;
}

/** Answer of `POST /api/handlers/:owner`. */
export interface SwitchAnswer {
  readonly enabled: boolean;
  readonly file: string;
}

/** Body of `POST /api/rules/reset`. */
export interface RulesResetRequest {
  /** Its name. Without it, every rule forgets, and a damaged record is set aside. */
  readonly rule?: string;
}

/** Answer of `POST /api/rules/reset`. */
export interface RulesResetAnswer {
  readonly ok: true;
}

/** Answer of `GET /api/sinks`. */
export interface SinksAnswer {
  readonly sinks: readonly SinkRow[];
}

/** Body of `POST /api/notify/test`. */
export interface NotifyTestRequest {
  /** The target. Default: all of them. */
  readonly name?: string;
}

/** Answer of `POST /api/notify/test`. */
export interface NotifyTestAnswer {
  readonly sent: readonly NotifyTestRow[];
}

export interface NotifyTestRow {
  readonly name: string;
  readonly type: string;
  /** The service took it. */
  readonly ok: boolean;
  /** Why it did not. */
  readonly error?: string;
}

/** Answer of `GET /api/sources`. */
export interface SourcesAnswer {
  readonly sources: readonly SourceRow[];
}

/** Answer of `GET /api/sources/:instance/handlers`. */
export interface SourceHandlersAnswer {
  readonly handlers: readonly HandlerRow[];
}

/** Answer of `GET /api/openapi.json`. */
export type OpenApiDocument = { readonly [name: string]: unknown };

/** Answer of `GET /api/approvals`. */
export interface ApprovalsAnswer {
  readonly approvals: readonly PendingApproval[];
  /** How many calls wait, on all pages. */
  readonly waiting: number;
  /** For the next page; missing on the last one. Long calls make a page shorter than `limit`. */
  readonly cursor?: number;
}

/** A call that waits for a person. */
export interface PendingApproval {
  /** The id of the question, also in the events that tell of it. */
  readonly id: string;
  readonly event: string;
  /** The id of the event that waits. */
  readonly eventId: string;
  readonly session?: Session;
  readonly source?: EnvelopeSource;
  /** The folder of the process, or the one that its call names. */
  readonly cwd?: string;
  /** What would run. */
  readonly payload: unknown;
  /** What the agent asked for, if a guard rewrote it. */
  readonly asked?: unknown;
  /** The hash of what would run. An answer must name it. */
  readonly hash: string;
  /** The name of the guard that asks. */
  readonly by: string;
  readonly actor: Actor;
  /** At most 4,000 characters; a longer one is cut, and says so. */
  readonly reason?: string;
  /** All guards that ask, if there are several. */
  readonly asks?: readonly {
    readonly by: string;
    readonly actor: Actor;
    readonly reason?: string;
  }[];
  /** Of a tool call: the fields that `always` would pin, which are all but those of the session, the call's id and the time. */
  readonly pins?: readonly string[];
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Answer of `GET /api/approvals/answered`. */
export interface AnsweredAnswer {
  readonly answers: readonly AnsweredApproval[];
  /** For the next page; missing on the last one. */
  readonly cursor?: number;
}

/** An answer to a call that waited for a person. */
export interface AnsweredApproval {
  /** The id of the question. */
  readonly id: string;
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  readonly verdict: "allow" | "deny";
  /** The person, or the name of what answered. */
  readonly by?: string;
  readonly reason?: string;
  /** Why there was no answer: the code of the error. The call was denied. */
  readonly cause?: string;
  /** How it was given, as the hub knows it of the connection: `dashboard`, `phone`, `terminal`, `program` (a process without a terminal), `api` (the hub cannot tell) or `fleet`. */
  readonly via?: string;
  /** The process that gave it: of the dashboard, the browser. */
  readonly process?: ProcessRow;
  /** When that process started, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** How the person confirmed it under `hookline protect`. */
  readonly factor?: string;
  /** Another call ran instead. */
  readonly isEdited?: true;
  /** Also for every such call afterwards, or because of an earlier answer. */
  readonly always?: true;
  /** Only a process says who answered, and how: the hub has no answer of its own. */
  readonly claimed?: true;
  readonly event: string;
  /** The event that waited: its trail has the whole decision. */
  readonly eventId?: string;
  readonly session?: string;
  /** The agent that asked. */
  readonly app?: string;
  /** The guard that asked. */
  readonly askedBy?: string;
  /** The reason that the guard gave. */
  readonly question?: string;
  /** The call in one line, without its secrets. Missing if the question is not in the record. */
  readonly about?: string;
  readonly waitedMs?: number;
}

/** Answer of `GET /api/approvals/always`. */
export interface AlwaysAnswer {
  readonly always: readonly AlwaysAllowed[];
}

/** A call that a person has allowed for good. */
export interface AlwaysAllowed {
  readonly hash: string;
  readonly event: string;
  readonly tool: string;
  /** The guard that asked. */
  readonly by: string;
  /** The tool's input without its secrets. */
  readonly input: string;
  /** All that must be the same, as JSON without its secrets. */
  readonly pinned: string;
  readonly cwd?: string;
  readonly allowedBy: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Answer of `POST /api/approvals/always/:hash/forget`. */
export interface ForgetAnswer {
  readonly forgotten: true;
}

/** Body of `POST /api/approvals/:id`. */
export interface AnswerApprovalRequest {
  readonly verdict: "allow" | "deny";
  /** The hash of the call that the approver saw. The answer counts for that call only. */
  readonly hash: string;
  readonly reason?: string;
  /** The name for the record. */
  readonly by?: string;
  /** Runs in place of the call. Every guard checks it again. */
  readonly payload?: unknown;
  /** Allows the same call from now on without asking. Default: false. */
  readonly always?: boolean;
}

/** Answer of `POST /api/approvals/:id`. */
export interface AnswerApprovalAnswer {
  readonly verdict: "allow" | "deny";
}

/** Answer of `GET /api/pause`, `POST /api/pause`. */
export interface PauseAnswer {
  readonly paused?: GuardPause;
}

/** Body of `POST /api/pause`. */
export interface PauseRequest {
  /** How long; at most 8 hours. Default: 600000. */
  readonly forMs?: number;
  readonly reason?: string;
  /** The name for the record. Default: "a person". */
  readonly by?: string;
}

/** Body of `POST /api/resume`. */
export interface ResumeRequest {
  /** The name for the record. Default: "a person". */
  readonly by?: string;
}

/** Answer of `POST /api/resume`. */
export interface ResumeAnswer {
  /** False if there was no pause. */
  readonly ended: boolean;
}

/** Answer of `POST /api/selftest`. */
export interface SelftestAnswer {
  /** Every guard did what it must. False while guards are paused. */
  readonly ok: boolean;
  /** The attached agents. Each canary is sent as each of them would send it. */
  readonly agents: readonly string[];
  readonly guards: readonly SelftestGuard[];
  readonly paused?: GuardPause;
}

export interface SelftestGuard {
  readonly name: string;
  readonly kind: "rule" | "hook" | "broken";
  readonly project?: string;
  /** The worst state of its canaries. */
  readonly state: SelftestState;
  readonly hint?: string;
  /** The attached agents without a tool that the guard is for. */
  readonly missing?: readonly {
    readonly agent: string;
    readonly reason: string;
  }[];
  readonly canaries: readonly SelftestResult[];
}

/** What became of a canary. `denied` and `asked` are right. `broken`: a stand-in for the guard denies everything. `no such tool`: no attached agent has a tool that the guard is for. */
export type SelftestState =
  | "denied"
  | "asked"
  | "failed closed"
  | "broken"
  | "let through"
  | "not asked"
  | "no such tool"
  | "waiting"
  | "no canary";

export interface SelftestResult {
  readonly event: string;
  readonly sent: string | object;
  /** The attached agent whose form of the call was sent; missing if it was sent as written. */
  readonly agent?: string;
  readonly state: SelftestState;
  readonly reason?: string;
  readonly failure?: string;
  readonly ms: number;
}

/** Answer of `GET /api/protect`, `POST /api/protect/on`, `POST /api/protect/factors`, `POST /api/protect/factors/remove`, `POST /api/protect/recovery`, `POST /api/protect/recover`, `POST /api/protect/off`. */
export interface ProtectAnswer {
  readonly isOn: boolean;
  /** What the mode of the hub means, in one sentence. */
  readonly means: string;
  /** Why the hub does not operate until it gets the recovery code. */
  readonly locked?: string;
  /** ISO 8601. */
  readonly since?: string;
  /** A passphrase confirms requests. */
  readonly passphrase: boolean;
  /** A code of an authenticator app confirms requests. Only in managed mode. */
  readonly totp: boolean;
  /** Passkeys confirm requests in the dashboard. */
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    /** ISO 8601. */
    readonly addedAt: string;
  }[];
  /** The dashboard's own name, the only place where passkeys work. */
  readonly passkeysAt?: string;
}

/** Answer of `POST /api/protect/passkey`, `POST /api/phone/passkey/options`. */
export interface PasskeyOptionsAnswer {
  readonly challenge: string;
  readonly rpId: string;
  /** Random bytes in base64url. */
  readonly user: string;
  /** The ids of the passkeys that are known. */
  readonly exclude: readonly string[];
}

/** Body of `POST /api/protect/on`. */
export interface ProtectOnRequest {
  readonly passphrase?: DerivedKey;
  readonly passkey?: NewPasskey;
  readonly totp?: NewTotp;
  /** The key of the recovery code. */
  readonly recovery: DerivedKey;
}

export interface NewPasskey {
  /** A name for people. Default: "passkey". */
  readonly name?: string;
  /** The answer of `navigator.credentials.create`, in the JSON of the WebAuthn standard. */
  readonly response: {
    readonly id: string;
    readonly rawId: string;
    readonly type: "public-key";
    readonly response: {
      readonly clientDataJSON: string;
      readonly attestationObject: string;
    };
    readonly clientExtensionResults: object;
  };
}

export interface NewTotp {
  readonly secret: string;
  /** A current code, which shows that the app has the secret. */
  readonly code: string;
}

/** Body of `POST /api/protect/factors`. */
export interface AddFactorRequest {
  readonly passphrase?: DerivedKey;
  readonly passkey?: NewPasskey;
  readonly totp?: NewTotp;
}

/** Body of `POST /api/protect/factors/remove`. */
export interface RemoveFactorRequest {
  /** Its id. Without it and without `totp`, the passphrase is removed. */
  readonly passkey?: string;
  /** The one-time password is removed. */
  readonly totp?: true;
}

/** Body of `POST /api/protect/recovery`. */
export interface RenewRecoveryRequest {
  readonly recovery: DerivedKey;
}

/** Body of `POST /api/protect/recover`. */
export interface RecoverRequest {
  readonly passphrase: DerivedKey;
  readonly recovery: DerivedKey;
}

/** Body of `POST /api/operate/confirm`. */
export interface ConfirmRequest {
  /** One sentence for the person who confirms it. */
  readonly action: string;
}

/** Answer of `POST /api/operate/confirm`. */
export interface ConfirmAnswer {
  /** Missing while `hookline protect` is off. */
  readonly factor?: "passkey" | "passphrase" | "totp";
}

/** Answer of `GET /api/phone`, `POST /api/phone/accept`, `POST /api/phone/remove`, `POST /api/phone/push`, `POST /api/phone/push/remove`. */
export interface PhoneAnswer {
  /** Where phones reach the dashboard. Missing without `publicUrl` of `[hub]`. */
  readonly publicUrl?: string;
  /** The passkeys that answer calls there. */
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    /** ISO 8601. */
    readonly addedAt: string;
  }[];
  /** For `pushManager.subscribe`: the key of the hub, in base64url. */
  readonly pushKey: string;
  /** How many browsers get a push message when a call waits. */
  readonly browsers: number;
}

/** Body of `POST /api/phone/passkey`. */
export interface ProposePhoneRequest {
  /** A name for people. */
  readonly name: string;
  /** The answer of `navigator.credentials.create`, in the JSON of the WebAuthn standard. */
  readonly response: {
    readonly id: string;
    readonly rawId: string;
    readonly type: "public-key";
    readonly response: {
      readonly clientDataJSON: string;
      readonly attestationObject: string;
    };
    readonly clientExtensionResults: object;
  };
}

/** Answer of `POST /api/phone/passkey`. */
export interface PhoneCodeAnswer {
  /** The six digits that the phone shows. */
  readonly code: string;
  /** How long the number works. */
  readonly forMs: number;
}

/** Body of `POST /api/phone/accept`. */
export interface AcceptPhoneRequest {
  /** The six digits that the phone shows. */
  readonly code: string;
}

/** Body of `POST /api/phone/remove`. */
export interface RemovePhoneRequest {
  /** The passkey's id. */
  readonly id: string;
}

/** Body of `POST /api/phone/link`. */
export interface PhoneLinkRequest {
  /** What the link has behind `#to.`, which browsers do not send. */
  readonly token: string;
}

/** Answer of `POST /api/phone/link`. */
export interface PhoneLinkAnswer {
  /** The approval's id. */
  readonly id: string;
}

/** Body of `POST /api/phone/push`. */
export interface SubscribePushRequest {
  /** The address that the browser's push service gave it. */
  readonly endpoint: string;
  /** In base64url. */
  readonly keys: {
    readonly p256dh: string;
    readonly auth: string;
  };
}

/** Body of `POST /api/phone/push/remove`. */
export interface UnsubscribePushRequest {
  readonly endpoint: string;
}

/** Answer of `POST /api/demo`. */
export interface DemoAnswer {
  readonly started: true;
}

/** Body of `POST /api/token/rotate`. */
export interface RotateRequest {
  /** Replaces the keys of attached agents only. */
  readonly only?: "agents";
}

/** Answer of `POST /api/token/rotate`. */
export interface RotateAnswer {
  readonly rotated: true;
  /** What you have to do by hand. */
  readonly left: readonly string[];
}

/** Answer of `POST /api/token/metrics`. */
export interface MetricsTokenAnswer {
  readonly token: string;
}

/** Answer of `POST /api/stop`. */
export interface StopAnswer {
  readonly stopping: true;
}

/** Answer of `POST /api/handover`. */
export interface HandOverAnswer {
  readonly pid: number;
  /** The options that the hub was started with. */
  readonly startedWith: {
    readonly port?: number;
    readonly host?: string;
    readonly data?: string;
    readonly config?: string;
    readonly remoteApprovals?: boolean;
  };
}

/** A `session:steer` event has this payload. */
export interface SteerRecord {
  readonly id: string;
  readonly kind: "inject" | "remind";
  readonly text: string;
  readonly reminder?: object;
  readonly interrupt?: true;
  readonly by: string;
  readonly via: "cli" | "api" | "dashboard";
  readonly agent: string;
  readonly status: "waiting" | "sent" | "delivered" | "dropped";
  /** Why it was dropped. */
  readonly reason?: string | undefined;
}

/** A head of the chain that was written down outside the store. */
export interface KeptHead {
  readonly chain?: string;
  readonly n: number;
  readonly hash: string;
  /** Where it was written down. */
  readonly from: string;
  /** The file that keeps it. */
  readonly file?: string | undefined;
  readonly at?: string | undefined;
}

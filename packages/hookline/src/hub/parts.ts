import type { Approver, Bus, Decision, MatchObject, TransformResult } from "@hookline/core";
import type { Managed } from "@hookline/core/internal/machine";
import type { ForwarderCounters, RemoteGate } from "@hookline/core/internal/wire";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import type { AttachKey } from "../agents/client/key-file.js";
import type { MissTotal } from "../agents/client/misses.js";
import type { KnownTools } from "../agents/tool-note.js";
import type { InstalledHook } from "../extensions/installed/installed-hook.js";
import type { Rule } from "../rules/rule.js";
import type { AgentCalls } from "./agents/agent-calls.js";
import type { Alarms } from "./alarms/alarms.js";
import type { AlwaysAllow } from "./approvals/always-allow.js";
import type { Approvals } from "./approvals/approvals.js";
import type { AgentProcesses } from "./auth/agent-processes.js";
import type { RefusedAction } from "./auth/refusals.js";
import type { BundlePolicy } from "./bundles/bundle-policy.js";
import type { Decisions } from "./decisions/decisions.js";
import type { SessionEffects } from "./effects/session-effects.js";
import type { Fleet } from "./fleet/open-fleet.js";
import type { PeopleAccess, SignedInPerson } from "./fleet/people-access.js";
import type { Leases } from "./gates/leases.js";
import type { Pause } from "./gates/pause.js";
import type { CarriedCounts } from "./handlers/carried-counts.js";
import type { Imports } from "./import/imports.js";
import type { EventPreparer } from "./ingest/event-preparer.js";
import type { Origin, RequestOrigins } from "./ingest/origins.js";
import type { Notify } from "./notify/open-notify.js";
import type { PhoneAccess } from "./phone/open-phone.js";
import type { Wanted } from "./policy/acceptance.js";
import type { UntrustedProject } from "./policy/untrusted-projects.js";
import type { PasskeySignIn } from "./protect/passkey-sign-in.js";
import type { Protect } from "./protect/protect.js";
import type {
  Fault,
  HandlerRow,
  HandlersAnswer,
  PolicyAnswer,
  ProcessRow,
  RuleSuggestion,
  SelftestAnswer,
  TrialAnswer,
} from "./protocol.js";
import type { ArchiveReport } from "./sinks/remove-from-archives.js";
import type { Steering } from "./steering/steering.js";
import type { DecisionHead } from "./store/decision-head.js";
import type { EventFilter, Store } from "./store/store.js";
import type { Marks } from "./store/writer.js";
import type { Tamper } from "./tamper/tamper.js";
import type { Prices } from "./usage/prices.js";

/** What the hub is made of, as its servers see it. Each part is made in its own folder and put together in `hub.ts`. */
export interface HubParts {
  readonly instance: string;
  /** ISO 8601, in UTC. */
  readonly startedAt: string;
  readonly version: string;
  /** The folder of the store. */
  readonly data: string;
  readonly store: Store;
  /** The head of the decisions' chain, as it is written down outside the store. */
  readonly decisionHead: Pick<DecisionHead, "path" | "missing" | "kept">;
  readonly ingest: Ingest;
  /** Events from agents' session files. */
  readonly imports: Imports;
  /** What models cost. */
  readonly prices: Prices;
  readonly preparer: EventPreparer;
  readonly live: Live;
  readonly tokens: Tokens;
  readonly logins: DashboardLogins;
  /** The dashboard's address for browsers on this machine. */
  url(): string;
  /** The dashboard's own names: the current one first, then some former ones. */
  readonly dashboardNames?: () => readonly string[];
  /** People of the fleet make passkeys at this name: the dashboard keeps it. */
  readonly keepDashboardName?: (name: string) => Promise<void>;
  /** Why links do not use these names. */
  readonly dashboardNote?: () => string | undefined;
  /** The dashboard's origin behind a proxy with TLS: `publicUrl` of `[hub]`. */
  readonly publicOrigin?: string | undefined;
  /** What that origin has. */
  readonly phone: PhoneAccess;
  /** Signs people in with a passkey. */
  readonly signIn: PasskeySignIn;
  /** The people of the fleet, at a fleet hub's dashboard. */
  readonly people: PeopleAccess;
  /** Whether calls may be approved over the network, at another address than this machine's own. */
  readonly remoteApprovals?: boolean;
  readonly sources: Sources;
  /** Guards, observers and whatever else was configured. */
  readonly bus: Bus;
  readonly sinks: Sinks;
  /** Tells people of questions and events. */
  readonly notify: Pick<Notify, "test" | "list">;
  readonly gates: Gates;
  /** What waits to be told to the models of agents. */
  readonly effects: SessionEffects;
  readonly pause: Pick<Pause, "current" | "begin" | "end" | "calls">;
  readonly counts: Pick<CarriedCounts, "add">;
  readonly approvals: Approvals;
  /** Puts operators' words into sessions. */
  readonly steering: Steering;
  /** Called when a holder tries an operation outside its scopes. */
  readonly onRefused: (refused: RefusedAction) => void;
  /** The processes of attached agents. What they start cannot operate. */
  readonly agentProcesses: AgentProcesses;
  /** What a person must look at. */
  readonly alarms: Pick<Alarms, "raise" | "list" | "acknowledge">;
  /** The users and groups of the managed hub; `undefined` for a user's own hub. */
  readonly managed?: Managed | undefined;
  /** Whether operating needs a person's confirmation. */
  readonly protect: Protect;
  readonly tamper: Tamper;
  readonly fleet: Fleet;
  readonly alwaysAllow: AlwaysAllow;
  readonly handlers: HandlerControls;
  /** The policy that comes in signed bundles. */
  readonly bundles: Pick<BundlePolicy, "status" | "offer" | "confirm" | "check" | "ruleFiles">;
  /** What in the policy waits for the operator's acceptance. */
  readonly policy: {
    list(): Promise<PolicyAnswer>;
    /** Returns what was accepted. Rejects with `HL_CONFIG` for what changed after it was shown. */
    accept(wanted: readonly Wanted[]): Promise<readonly string[]>;
  };
  /** Lets one rule, or all, forget what they have counted. False for a rule that is not in force. */
  resetRules(rule?: string): boolean;
  readonly agents: AgentCalls;
  readonly decisions: Decisions;
  /** Calls that attached agents made without the hub, as far as they are known. */
  readonly misses?: () => readonly MissTotal[];
  /** The hooks outside the agents' code, including hooks that do not run, and projects with hooks that lack consent. */
  hooks(): {
    readonly hooks: readonly InstalledHook[];
    readonly untrusted: readonly UntrustedProject[];
  };
  /** What stands in a file and is not in force. */
  faults(): readonly Fault[];
  /** The tools that attached agents have, and those that calls were seen of. */
  knownTools(): Promise<KnownTools>;
  /** Sends every guard something that it must deny. */
  selftest(signal: AbortSignal): Promise<SelftestAnswer>;
  /** Starts the scripted agent; false while one runs. */
  startDemo(): boolean;
  /**
   * New keys. The old ones stop working. Attached agents and processes go on with the new ones. Gives what has to be done by
   * hand, a sentence each.
   */
  rotateKeys(which: RotatedKeys): readonly string[];
  /** Every address the hub listens on over TCP. */
  urls(): readonly string[];
  /** Asks the hub to end, as a signal would. */
  stop(): void;
  readonly startedWith: StartedWith;
  readonly isTied: boolean;
  /** For a minute, the hub gives way to another that takes its sockets. */
  handOver(): void;
}

/** The options that the hub was started with. */
export interface StartedWith {
  readonly port?: number;
  readonly host?: string;
  readonly data?: string;
  readonly config?: string;
  readonly remoteApprovals?: boolean;
}

/** An accepted line: the envelope, and the line's own text, which is stored. */
export interface Accepted {
  readonly envelope: Envelope;
  readonly body: string;
  /** The host of the fleet that sent it, by the name of its credential. */
  readonly host?: string;
  /** Another process reports it, and has chosen its id. */
  readonly isReported?: true;
  /** It was read from an agent's session file: it is stored, and nothing reacts to it. */
  readonly isImported?: true;
  /** Where it came from. */
  readonly origin?: Origin;
}

export interface Refusal {
  readonly code: string;
  readonly reason: string;
}

/** The one way into the store, whatever an event came by. */
export interface Ingest {
  /** Checks one line of JSON, an envelope. Never throws. */
  accept(line: string, origin?: Origin): Accepted | Refusal;
  /** The same for what the hub made of a call that came to it, also one of an attached agent. */
  acceptMade(line: string, origin?: Origin): Accepted | Refusal;
  /** The same for an envelope made here of what came from outside. */
  acceptEnvelope(envelope: Envelope): Accepted | Refusal;
  /** Why `acceptEnvelope` would refuse it; nothing if it would not. Nothing is counted. */
  check(envelope: Envelope): Refusal | undefined;
  /** Why a process may not record or ask a person under this name. */
  checkSource(source: EnvelopeSource): Refusal | undefined;
  /** For the hub's own events: only the hub may use its name. */
  acceptOwn(envelope: Envelope, line?: string): Accepted | Refusal;
  /** Checks a line that a host of the fleet sent. The host's hub has accepted it, so it may be in that hub's name or in an agent's. */
  acceptFleet(line: string, host: string): Accepted | Refusal;
  /** Of what the hub itself says. */
  readonly hubOrigin: Origin;
  /** Of what comes over HTTP. */
  readonly requestOrigins: RequestOrigins;
  /** The process of an origin became known. */
  identify(origin: Origin): void;
  /** The process that first connected as an instance, as `Origin.owner`. */
  ownerOf(instance: string): Promise<string | undefined>;
  /** Resolves when they are on disk, with the marks. Rejects with `HL_DISK_FULL` or what else the store says; then none of them is. */
  append(events: readonly Accepted[], marks?: Marks): Promise<{ readonly stored: number; readonly duplicates: number }>;
  readonly counters: {
    readonly received: number;
    readonly stored: number;
    readonly duplicates: number;
    /** Stored under an id of their own, because another event had theirs. */
    readonly renamed: number;
    readonly refused: { readonly [code: string]: number };
    readonly failed: number;
  };
  /** Events handed to the store and not yet on disk. */
  readonly pending: number;
  readonly isDiskFull: boolean;
  /** What was last appended could not be stored, for another reason than a full disk. */
  readonly isStoreFailed: boolean;
}

/** An event that has just been stored, as watchers get it. */
export interface Arrival {
  readonly place: number;
  readonly envelope: Envelope;
  readonly body: string;
  /** The host of the fleet that sent it. */
  readonly host?: string;
}

/** Watchers get what was stored, in the order of positions. */
export interface Live {
  /** Called by ingest after each commit. */
  publish(arrivals: readonly Arrival[]): void;
  /** Returns how to stop. `onBehind`: a search for text does not keep up, and this watch misses what came since it was last told. */
  watch(filter: EventFilter, onArrivals: (arrivals: readonly Arrival[]) => void, onBehind?: () => void): () => void;
  /** Watches of all kinds. */
  readonly watchers: number;
}

/** `hook`: the events of attached agents, in their own words. */
export type Scope = "read" | "metrics" | "ingest" | "decide" | "approve" | "hook";

/** The holder of a token. */
export interface Holder {
  /** How they were recognised: by the token in operator.json, that in hub.json, a key of attached agents, a login of the dashboard's, or the token for metrics. */
  readonly kind: "operator" | "process" | "agent" | "dashboard" | "scraper" | "nobody";
  readonly scopes: ReadonlySet<Scope>;
  /** What proves to this holder that the hub answers. Only this holder gets it. */
  readonly seal?: string;
  /** The one agent that it speaks for. */
  readonly agent?: string;
  /** The person of the fleet who is signed in. */
  readonly person?: SignedInPerson;
  /** A login at the public origin that may answer once a passkey was enrolled there. */
  readonly isPhone?: true;
  /** The key was replaced, and its agent does not know yet: it takes a refusal for an error, which it may pass over. */
  readonly isReplaced?: true;
}

/** `agents`: only the keys of attached agents. */
export type RotatedKeys = "all" | "agents";

export interface Tokens {
  /** Undefined for an unknown token. In constant time. */
  holderOf(token: string): Holder | undefined;
  /** The token in hub.json: ingest and decide. */
  readonly agent: string;
  /** The token in operator.json: everything. */
  readonly operator: string;
  /** A new token that can only read `/metrics`. The one before stops working. Throws if it cannot be kept. */
  createMetrics(): string;
  /** The old ones stop working at once. `key`: the new one of attached agents. Gives how to take it back. */
  rotate(key: AttachKey, which: RotatedKeys): () => void;
}

export type DashboardScope = Extract<Scope, "read" | "approve">;

/** The logins of dashboards that were opened by a link. */
export interface DashboardLogins {
  /** A code for a link to an origin: good once, for a short time, and there alone. */
  offer(scopes: readonly DashboardScope[], origin: string): string;
  /** A session for a code; nothing for one that is good no more, or elsewhere. */
  redeem(
    code: string,
    origin: string,
  ): { readonly secret: string; readonly key: string; readonly scopes: readonly DashboardScope[] } | undefined;
  /** A session for a person of the fleet, who may look, or for a phone that has signed in with its passkey. */
  begin(who: { readonly person: string } | "phone", origin: string): { readonly secret: string; readonly key: string; readonly ms: number };
  /** The person whose session a cookie is at an origin. */
  personOf(secret: string, origin: string): string | undefined;
  /** Ends the sessions of those people of whom it is not true that they are still there. */
  keepPeople(isThere: (person: string) => boolean): void;
  /** What the holder of a cookie may do at an origin: without the key, which no other server of this host is ever sent, it may only read. */
  scopesOf(secret: string, key: string | undefined, origin: string): ReadonlySet<Scope> | undefined;
  isKeyOf(secret: string, key: string | undefined): boolean;
  end(secret: string): void;
  /** Ends every session of an origin. */
  endAt(origin: string): void;
  /** Ends every session and makes every open link worthless; gives how many sessions there were. */
  endAll(): number;
  /** Told once, when the session of a cookie ends, in whichever way; returns how to stop. Never called for an invalid cookie. */
  onEnd(secret: string, listener: () => void): () => void;
}

/** A process on the line. */
export interface SourceRow {
  readonly source: EnvelopeSource;
  /** The folder it works in. */
  readonly cwd?: string | undefined;
  readonly connectedAt: string;
  readonly received: number;
  /** As it says itself. */
  readonly counters: ForwarderCounters | undefined;
  /** Numbers missing in what it sent. */
  readonly gaps: number;
  readonly lastEventAt: string | undefined;
  /** As the operating system says. Missing where it does not. */
  readonly peer?: ProcessRow;
}

export interface Sources {
  list(): readonly SourceRow[];
  /** What is registered in a process; nothing when it is not on the line, or does not say. */
  handlersOf(instance: string): Promise<readonly HandlerRow[] | undefined>;
}

/** A hook by the owner of its handlers; a rule of `hookline.toml` by the owner `rules` and its name. */
export interface HandlerName {
  readonly owner: string;
  readonly name?: string | undefined;
}

export interface HandlerControls {
  /** What a handler for an event is narrowed down by, as its author wrote it: on the bus it may be a function. */
  matchOf(which: HandlerName, event: string): string | MatchObject | undefined;
  rules(): HandlersAnswer["rules"];
  /** A rule in force, by its name. */
  rule(name: string): Rule | undefined;
  /** The rules of the file that are in force. */
  inForce(): readonly Rule[];
  /** Adds a rule that answers to the file of the rule that asks, and gives the file. Rejects with `HL_NOT_FOUND` or `HL_CONFIG`. */
  addAnswer(rule: Pick<RuleSuggestion, "name" | "answers" | "toml">): Promise<string>;
  /** Switches it on or off where it stands, and gives the file. Rejects with `HL_NOT_FOUND` or `HL_CONFIG`. */
  turn(which: HandlerName, isEnabled: boolean): Promise<string>;
  /** Runs an instance of its own on a sample of an event, and ends it. Rejects in the same way. The signal ends the trial early. */
  try(which: HandlerName, event: string | undefined, signal: AbortSignal): Promise<TrialAnswer>;
}

/** A sink of the hub. */
export interface SinkRow {
  readonly name: string;
  readonly type: string;
  readonly state: "ok" | "failing" | "closed";
  readonly lastError: string | undefined;
  readonly sent: number;
  readonly dropped: { readonly [reason: string]: number };
  /** Stored events it has not got yet. */
  readonly behind: number;
}

export interface Sinks {
  list(): readonly SinkRow[];
  /** Deletes sessions from every archive, and says of each how many files it had of them, or why some may be left. */
  removeSessions(sessions: readonly string[], signal: AbortSignal): Promise<readonly ArchiveReport[]>;
}

/** The hub's guards and transforms, as an attached process asks them. */
export interface Gates {
  list(): readonly RemoteGate[];
  /** What processes may let pass without a question. */
  readonly leases: Leases;
  /** Told when the list changes; returns how to stop. */
  onChange(listener: () => void): () => void;
  decide(request: GateRequest, signal: AbortSignal): Promise<Decision>;
  /** Passes a value through the hub's handlers. Each has its own time limit; one that is closed and fails withholds the value. */
  transform(request: TransformRequest): Promise<TransformResult>;
  /** How many so far, by verdict. */
  readonly decisions?: { readonly [verdict: string]: number };
}

export interface TransformRequest extends Omit<GateRequest, "approver"> {
  readonly value: unknown;
}

export interface GateRequest {
  /** A gate, in any spelling. */
  readonly event: string;
  readonly payload: unknown;
  readonly session?: { readonly id: string; readonly parentId?: string };
  /** The process that asks. */
  readonly source?: EnvelopeSource;
  /** The folder it works in, where its payload does not say. */
  readonly cwd?: string;
  /** The approver to ask when a guard wants a person; without one the answer is `ask`. */
  readonly approver?: Approver;
  /** The id under which the event will be stored. Observers hear of it then, and not now. Missing where it is not stored. */
  readonly eventId?: string;
}

import type { HandlerInfo, HandlerStats, TrailStep, Verdict } from "@hookline/core";
import type { LineCounters, RemoteGate } from "@hookline/core/forward";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import type { PendingApproval } from "./approvals/approvals.js";
import type { UntrustedProject } from "./policies/untrusted-projects.js";

/** What HTTP clients and the page see of the hub: docs/hub-api.md says it in words. */

/** The body of every answer from 400 on. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly fix?: string };
}

/** `GET /api/hooks/health` */
export interface HealthAnswer {
  /** Other than `ok`: what came last could not be stored. */
  readonly status: "ok" | "disk_full" | "store_failed";
  readonly version: string;
  readonly instance: string;
  readonly startedAt: string;
}

/** `GET /api/hooks/proof?nonce=`: shows that the hub knows the token in `hub.json`, before anybody sends it one. */
export interface ProofAnswer {
  readonly instance: string;
  readonly proof: string;
}

/** `POST /api/hooks/ingest`: sent when all of it is on disk. */
export interface IngestAnswer {
  readonly stored: number;
  readonly duplicates: number;
}

/** What Hermes sends: one event, in its own words. */
export interface HermesFrame {
  readonly event_type: string;
  readonly context?: unknown;
  readonly src?: unknown;
}

/** `POST /api/decide` */
export interface DecideRequest {
  /** A gate, in any spelling. */
  readonly event: string;
  readonly payload: unknown;
  readonly session?: { readonly id: string; readonly parentId?: string };
  /** How long the answer may take. Default 5,000, at most 600,000; then the answer is a deny. */
  readonly timeoutMs?: number;
}

export interface DecideAnswer {
  readonly verdict: Verdict;
  /** True for `pass` and `allow`. */
  readonly allowed: boolean;
  readonly reason?: string;
  readonly by?: string;
  /** The code of what failed, when the verdict is a failure's. */
  readonly cause?: string;
  /** What may run: the payload after every rewrite. */
  readonly payload: unknown;
  readonly modified: boolean;
  readonly endLoop: boolean;
  readonly again?: { readonly reason?: string; readonly by: string };
  readonly handled?: { readonly output: unknown; readonly by: string };
  readonly injections: readonly string[];
  readonly reminders: readonly { readonly spec: object; readonly by: string }[];
  readonly trail: readonly TrailStep[];
}

/** An event and its place in the store: places only grow. */
export interface PlacedEvent extends Envelope {
  readonly place: number;
}

/** `GET /api/events`: newest first. Without a cursor there are no more. */
export interface EventsAnswer {
  readonly events: readonly PlacedEvent[];
  readonly cursor?: number;
}

/** `GET /api/events/:id`. Which handlers looked at it stands in `event.decision.trail`. */
export interface EventAnswer {
  readonly event: PlacedEvent;
}

/** `GET /api/sessions`: those with the latest events first. Times are milliseconds since 1970. */
export interface SessionsAnswer {
  readonly sessions: readonly {
    readonly id: string;
    readonly app: string;
    readonly firstAt: number;
    readonly lastAt: number;
    readonly events: number;
    readonly denied: number;
  }[];
}

/** `GET /api/handlers` */
export interface HandlersAnswer {
  readonly handlers: readonly (Omit<HandlerInfo, "health"> & {
    readonly health?: { readonly state: string; readonly restarts?: number };
    readonly stats?: Omit<HandlerStats, "id" | "event" | "name" | "owner">;
  })[];
  /** The events that attached processes ask the hub about. */
  readonly gates: readonly RemoteGate[];
  /** The hooks outside the agents' code, also those that do not run. */
  readonly hooks: readonly HookSummary[];
}

export interface HookSummary {
  /** The `owner` of its handlers. */
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly from: "user" | "project";
  readonly project?: string;
  readonly state: string;
  readonly path: string;
  readonly problems: readonly string[];
}

/** `GET /api/sinks` */
export interface SinksAnswer {
  readonly sinks: readonly {
    readonly name: string;
    readonly type: string;
    readonly state: "ok" | "failing" | "closed";
    readonly lastError?: string | undefined;
    readonly sent: number;
    readonly dropped: { readonly [reason: string]: number };
    readonly behind: number;
  }[];
}

/** `GET /api/sources`: the processes on the line. */
export interface SourcesAnswer {
  readonly sources: readonly {
    readonly source: EnvelopeSource;
    readonly cwd?: string | undefined;
    readonly connectedAt: string;
    readonly received: number;
    readonly counters?: LineCounters | undefined;
    readonly gaps: number;
    readonly lastEventAt?: string | undefined;
  }[];
}

/** The events of `GET /api/stream`. `hook` carries an envelope and, as its id, its place: what `Last-Event-ID` resumes after. */
export const STREAM_EVENTS = { hello: "hello", hook: "hook", bye: "bye" } as const;
export interface StreamHello {
  readonly instance: string;
  /** The newest event's place as the stream began. */
  readonly place: number;
}
export interface StreamBye {
  readonly reason: "stopping" | "failed";
}

/** `GET /api/status` */
export interface StatusAnswer extends HealthAnswer, SinksAnswer, SourcesAnswer {
  /** The folder of the store. */
  readonly data: string;
  /** By state, such as `active` or `modified`; and the projects with hooks that nobody consented to. */
  readonly hooks: { readonly counts: { readonly [state: string]: number }; readonly untrusted: readonly UntrustedProject[] };
  readonly store: { readonly events: number; readonly bytes: number; readonly unindexed: number; readonly sqlite: string };
}

/** `GET /api/approvals`: calls that wait for a person. */
export interface ApprovalsAnswer {
  readonly approvals: readonly PendingApproval[];
}

/** What came of a canary: `denied` and `asked` are as it should be. */
export type SelftestState = "denied" | "asked" | "failed closed" | "let through" | "not asked" | "no canary";

/** `POST /api/selftest`: what every guard does with something that it must deny. */
export interface SelftestAnswer {
  /** No guard failed, let its canary through or was not asked. */
  readonly ok: boolean;
  readonly guards: readonly SelftestGuard[];
}

export interface SelftestGuard {
  readonly name: string;
  /** `broken`: it cannot be used, and what it guards is denied until it is mended. */
  readonly kind: "rule" | "hook" | "broken";
  /** The project that brings it. */
  readonly project?: string;
  /** That of its worst canary. */
  readonly state: SelftestState;
  /** For one without a canary: how to add one. */
  readonly hint?: string;
  readonly canaries: readonly SelftestResult[];
}

export interface SelftestResult {
  readonly event: string;
  /** A command, a prompt or a payload. */
  readonly sent: string | object;
  readonly state: SelftestState;
  readonly reason?: string;
  /** How it failed: `timeout`, `crash`, `spawn_error` and so on. */
  readonly failure?: string;
  readonly ms: number;
}

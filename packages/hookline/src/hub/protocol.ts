import type { HandlerInfo, HandlerStats, TrailStep, Verdict } from "@hookline/core";
import type { LineCounters, RemoteGate } from "@hookline/core/forward";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";

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
  readonly store: { readonly events: number; readonly bytes: number; readonly unindexed: number; readonly sqlite: string };
}

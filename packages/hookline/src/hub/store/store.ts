import type { Envelope } from "@hookline/core/sinks";

/** Which events are wanted. Fields are ANDed; a list means any of its members. */
export interface EventFilter {
  /** Canonical names or patterns (`tool:*`). */
  readonly events?: readonly string[];
  readonly session?: string;
  /** The source's app or instance. */
  readonly source?: string;
  readonly tool?: string;
  readonly decision?: "pass" | "allow" | "ask" | "deny";
  /** Milliseconds since 1970, inclusive and exclusive. */
  readonly since?: number;
  readonly until?: number;
  /** Words that must all occur in the event. */
  readonly text?: string;
}

/** A page of events, newest first, and where the next page begins. */
export interface EventPage {
  readonly events: readonly StoredEvent[];
  readonly cursor: number | undefined;
}

/** An event and its place in the store: places only grow, so they resume a stream. */
export interface StoredEvent {
  readonly place: number;
  readonly envelope: Envelope;
}

export interface SessionSummary {
  readonly id: string;
  readonly app: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly events: number;
  readonly denied: number;
}

export interface AppendResult {
  /** The places of the events that are new, in order. */
  readonly stored: readonly number[];
  /** How many were there already. */
  readonly duplicates: number;
}

export interface StoreStats {
  readonly events: number;
  readonly bytes: number;
  /** Events that text search does not know yet: indexing follows the acknowledgement. */
  readonly unindexed: number;
  readonly sqlite: string;
}

/** Where the hub keeps events. `append` resolves when they are on disk, and not before. */
export interface Store {
  append(envelopes: readonly Envelope[]): Promise<AppendResult>;
  page(filter: EventFilter, options?: { readonly limit?: number; readonly before?: number }): Promise<EventPage>;
  /** Oldest first from a place on, for a stream that resumes. */
  after(place: number, filter: EventFilter, limit: number): Promise<readonly StoredEvent[]>;
  get(id: string): Promise<StoredEvent | undefined>;
  sessions(limit?: number): Promise<readonly SessionSummary[]>;
  /** How many events of each name since a time, to the minute. */
  counts(since: number): Promise<Readonly<Record<string, number>>>;
  stats(): Promise<StoreStats>;
  /** Lets go of what is older, or more than fits; returns how many events that were. */
  retain(limits: { readonly maxAgeMs?: number; readonly maxBytes?: number }): Promise<number>;
  /** Resolves when everything stored so far can be found by text. */
  indexed(): Promise<void>;
  close(): Promise<void>;
}

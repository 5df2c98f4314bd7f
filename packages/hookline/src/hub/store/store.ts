import type { Origin } from "../ingest/origins.js";
import type { Accepted } from "../parts.js";
import type { ChainHead, EventOrigin, SessionRow, TranscriptHeadRow } from "../protocol.js";
import type { Erasure } from "./erase.js";
import type { HandlerRange, HandlerTotals } from "./handler-reader.js";
import type { FiredHandler } from "./handler-writer.js";
import type { OverviewRange, StoredOverview } from "./overview.js";
import type { RetentionLimits } from "./retention.js";
import type { SessionChoice } from "./session-table.js";
import type { UsageFound } from "./usage-table.js";
import type { Marks } from "./writer.js";

/** Which events are wanted. Fields are ANDed; a list means any of its members. */
export interface EventFilter {
  /** Canonical names or patterns (`tool:*`). */
  readonly events?: readonly string[];
  readonly session?: string;
  /** The host of the fleet that sent them, by the name of its credential; `*` for any host. */
  readonly host?: string;
  /** The source's app or instance. */
  readonly source?: string;
  /** In any case. */
  readonly tool?: string;
  /** `ask`: a person was asked, whatever the result. */
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

/** Events of some sessions, in the order of their own times; those of one time in the order of their places. */
export interface TimeFilter extends Omit<EventFilter, "session"> {
  readonly sessions: readonly string[];
}

/** Where an event stands in that order. */
export interface TimePlace {
  readonly at: number;
  readonly place: number;
}

export interface TimePage {
  readonly events: readonly StoredEvent[];
  /** Where the next page begins. */
  readonly next: TimePlace | undefined;
}

/** An event and its place in the store: places only grow, so they resume a stream. */
export interface StoredEvent {
  readonly place: number;
  /** The envelope as JSON, as it came in: it was checked then, and most readers only pass it on. */
  readonly body: string;
  /**
   * Where it stands in the order of times, in milliseconds since 1970: a time that is ahead of the hub's clock is not believed. Missing where the
   * events were not read in that order.
   */
  readonly at?: number;
  /** 1 for an event from an agent's session file; missing where the reader was not asked for it. */
  readonly imported?: number;
  /** The host of the fleet that sent it, by the name of its credential; null or missing for an event of this machine. */
  readonly host?: string | null;
  /** Where it came from, an `EventOrigin` as JSON; null or missing where that is not known. */
  readonly origin?: string | null;
}

/** An event's JSON with fields that the store knows. They come last, so they count even if the sender wrote some of the same name. */
export function withFields(
  { body, host, imported }: Pick<StoredEvent, "body" | "host" | "imported">,
  more: { readonly place?: number; readonly origin?: EventOrigin } = {},
): string {
  const fields = { ...more, ...(host != null && { host }), ...(imported === 1 && { imported: true }) };
  const text = JSON.stringify(fields).slice(1);
  return text === "}" ? body : `${body.slice(0, body.lastIndexOf("}"))},${text}`;
}

/** A page ends here, however many events were asked for. */
export const MAX_PAGE_CHARS = 32 * 1024 * 1024;

/** Whether there was no more to give: a page that was cut for its size is not the last. */
export function isLastPage(events: readonly StoredEvent[], limit: number, maxChars = MAX_PAGE_CHARS): boolean {
  return events.length < limit && charsOf(events) < maxChars;
}

export function charsOf(events: readonly { readonly body: string }[]): number {
  return events.reduce((chars, { body }) => chars + body.length, 0);
}

/** `tool:*` is the names of one namespace and never crosses a second colon; commands have names of any number. */
export function crossesColons(pattern: string): boolean {
  return pattern.startsWith("command:");
}

export interface StoreStats {
  readonly events: number;
  readonly bytes: number;
  /** Events that text search does not know yet: indexing follows the acknowledgement. */
  readonly unindexed: number;
  /** The time of the last event that it knows, in milliseconds since 1970. */
  readonly indexedUntil?: number;
  readonly sqlite: string;
}

/** In the place of an event: its id is that of another event, and it was not stored. */
export const TAKEN = -1;

/** Where the hub keeps events. `append` resolves when they are on disk, and not before. */
export interface Store {
  /** Gives each event's place, in order; 0 for one that was there already, and `TAKEN` for one whose id another event has. `marks`: cursors that are set in the same transaction. Rejects with `HL_DISK_FULL` or `HL_STORE_FAILED`; then none is there, and no mark is set. */
  append(events: readonly Accepted[], marks?: Marks): Promise<readonly number[]>;
  /** Newest first: by place, or with a session by the events' own times. */
  page(filter: EventFilter, options?: { readonly limit?: number; readonly before?: number }): Promise<EventPage>;
  inTime(
    filter: TimeFilter,
    options: { readonly order: "newest" | "oldest"; readonly limit: number; readonly from?: TimePlace | undefined },
  ): Promise<TimePage>;
  /** A session and those that it started, and so on: by what children say of their parents, and by the ids of its workers. At most `limit`. */
  family(session: string, limit: number): Promise<readonly string[]>;
  /** Oldest first from a place on, for a stream that resumes. The event that makes it `maxChars` or more is the last. */
  after(place: number, filter: EventFilter, limit: number, maxChars?: number): Promise<readonly StoredEvent[]>;
  get(id: string): Promise<StoredEvent | undefined>;
  /** The ids that begin like this, in their order. */
  idsThatBegin(begins: string, limit: number): Promise<readonly string[]>;
  /** Where the first process came from that connected as the event's instance, if that is another process than the event came from. */
  provedBy(id: string): Promise<EventOrigin | undefined>;
  /** Notes the process of an origin whose events are stored already. */
  identify(origin: Origin): Promise<void>;
  /** The process that first connected as an instance, as `Origin.owner`. */
  ownerOf(instance: string): Promise<string | undefined>;
  /** Those with the latest events first; with a `parent`, those that say they are its children. */
  sessions(limit?: number, of?: SessionChoice): Promise<readonly SessionRow[]>;
  session(id: string): Promise<SessionRow | undefined>;
  /** When the first event of each session came that was not imported, in milliseconds since 1970. Sessions without such events are left out. */
  watchedSince(sessions: readonly string[]): Promise<{ readonly [session: string]: number }>;
  /** How many events of each name since a time, to the minute. */
  counts(since: number): Promise<Readonly<Record<string, number>>>;
  /** What went on, by the minute. */
  overview(range: OverviewRange): Promise<StoredOverview>;
  /** Tokens and money, by slices of time. */
  usage(bounds: readonly number[]): Promise<UsageFound>;
  /** The tools that calls have been stored of, as far as retention reaches. */
  tools(): Promise<readonly string[]>;
  /** What handlers did, from the trails of decisions. */
  handlers(range: HandlerRange): Promise<readonly HandlerTotals[]>;
  /** Records calls without a decision, so that "never fired" is right. */
  fired(handlers: readonly FiredHandler[]): Promise<void>;
  stats(): Promise<StoreStats>;
  /** The end of the chain over all decisions. `verifyStore` checks them against it. */
  chainHead(): Promise<ChainHead>;
  /** Whether the chain still has this link; also when retention has removed it, which the chain says. */
  holdsHead(head: ChainHead): Promise<boolean>;
  /** The heads that were told of a transcript, oldest first. */
  transcriptHeads(id: string): Promise<readonly TranscriptHeadRow[]>;
  /** The place of the newest event; 0 for an empty store. */
  lastPlace(): Promise<number>;
  /** How far a reader that comes back has got. */
  cursor(name: string): Promise<number | undefined>;
  setCursor(name: string, place: number): Promise<void>;
  /** Those whose names begin so. */
  cursors(prefix: string): Promise<Marks>;
  /** What the hub notes of itself. Retention does not remove it. `store` is the store's id, made once. */
  fact(name: string): Promise<string | undefined>;
  /** Without a value the fact is removed. */
  setFact(name: string, value: string | undefined): Promise<void>;
  /** Keeps within limits from now on, as events are appended. An age counts from an event's arrival. */
  keepWithin(limits: RetentionLimits): Promise<void>;
  /** Lets go of what is older, or more than fits; returns how many events that were. */
  retain(limits: RetentionLimits): Promise<number>;
  /** One step of it; 0 when there is nothing more to do. */
  retainSome(limits: RetentionLimits): Promise<number>;
  /** How many events that would be; for a size, about. */
  excess(limits: RetentionLimits): Promise<number>;
  /** Deletes a session for good and returns how many events it had. `scrub` then removes the bytes. */
  erase(erasure: Erasure): Promise<number>;
  /** Removes the bytes of what was deleted from the files. Returns the copies of the store that are gone. Appends wait meanwhile. */
  scrub(): Promise<readonly string[]>;
  /** Resolves when everything stored so far can be found by text. */
  indexed(): Promise<void>;
  close(): Promise<void>;
}

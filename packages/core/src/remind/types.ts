import type { ReminderStore } from "../bus/types.js";
import type { ReminderSpec } from "../catalog/reminder.js";

/** A session's id, or anything that carries one. Without a session the reminder belongs to the default session `""`. */
export type SessionLike = string | { readonly id: string } | undefined;

/** A reminder that a book holds. Records are frozen: a change makes a new record with the same id. */
export interface ReminderRecord {
  /** Unique within the book, and kept when a reminder with the same `dedupeKey` replaces this one. */
  readonly id: string;
  readonly spec: ReminderSpec;
  readonly session: string;
  /** The handler that left it, as the bus knows it; `spec.authority` is only what that handler claims. */
  readonly by: string;
  readonly event: string | undefined;
  /** The tool call that the event was about. */
  readonly callId: string | undefined;
  /** Turns it will still be shown; no limit when undefined. */
  readonly turnsLeft: number | undefined;
  /** How often it was said: 1, and one more for each duplicate. */
  readonly count: number;
  /** The id of the parent session's reminder this is a copy of. */
  readonly inheritedFrom?: string;
}

/** Where a reminder comes from: its session, its author, its event and the tool call that this was about. */
export interface ReminderContext {
  readonly session?: SessionLike;
  /** Default `"host"`. */
  readonly by?: string | undefined;
  readonly event?: string | undefined;
  readonly callId?: string | undefined;
}

/** Why reminders were dropped: too many in a session, too many sessions, a compaction, or `forget`. */
export type DropReason = "limit" | "session_limit" | "compacted" | "forgotten";

/** Something that happened to a reminder. On the bus it is the event `reminder:<change>`. */
export type ReminderChange =
  | { readonly change: Exclude<ReminderChangeName, "dropped">; readonly reminder: ReminderRecord }
  | { readonly change: "dropped"; readonly reminder: ReminderRecord; readonly reason: DropReason };
/** What happened to a reminder. */
export type ReminderChangeName = "injected" | "fired" | "deduped" | "expired" | "dropped" | "inherited" | "revoked";

/** Options of `createReminderBook`. */
export interface ReminderBookOptions {
  /** Reminders a session may have; one more drops the oldest. Default 100. */
  readonly maxPerSession?: number;
  /** Sessions the book keeps; one more drops the least recently used. Default 1000. */
  readonly maxSessions?: number;
  /** Told of the first failure of each listener. Default: a line on `console.error`. */
  readonly onError?: (error: Error) => void;
}

/** Options of `book.render`. */
export interface RenderOptions {
  /** Only the reminders for this role. Those without a `roleHint` count as `user_block`. */
  readonly roleHint?: NonNullable<ReminderSpec["roleHint"]>;
}

/** The numbers of a reminder book. */
export interface ReminderBookStats {
  readonly sessions: number;
  readonly reminders: number;
  readonly dropped: { readonly [reason in DropReason]: number };
  /** Changes that were not reported, because listeners kept causing new ones. */
  readonly untold: number;
}

/** The reminders of every session. */
export interface ReminderBook extends ReminderStore {
  /** Throws `HL_BAD_REMINDER` for a malformed one and `HL_REMINDER_REJECTED` for one left at a `worker:*` event. */
  add(spec: ReminderSpec, context?: ReminderContext): ReminderRecord;
  /** A turn of the session is over: every `ttlTurns` falls by one, what reaches 0 expires. */
  turnEnded(session?: SessionLike): void;
  /** The session's context was compacted: only `preserveOnCompact` stays. */
  compacted(session?: SessionLike): void;
  /** Copies to the child what `propagate` allows. What the child already has, by origin or by `dedupeKey`, stays as it is. */
  inherit(parent: SessionLike, child: SessionLike): void;
  /** False when there is no such reminder. Copies in child sessions stay. */
  revoke(id: string): boolean;
  /** The session is over: drops all of its reminders. */
  forget(session?: SessionLike): void;
  /** Oldest first; those of every session when called without one. */
  list(session?: SessionLike): readonly ReminderRecord[];
  /** One block for the end of the prompt, `""` when there is nothing to say. The text changes only when the reminders do. */
  render(session?: SessionLike, options?: RenderOptions): string;
  stats(): ReminderBookStats;
  attach(emit: (event: string, payload: { readonly [key: string]: unknown }) => void): void;
  /** Tells the listener of every change, in order; returns how to stop. */
  onChange(listener: (change: ReminderChange) => unknown): () => void;
}

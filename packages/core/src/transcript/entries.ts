import type { Decision, FailureMode, Source, Stage, TrailAction, Verdict } from "../bus/types.js";
import type { Actor, ActorKind } from "../catalog/actor.js";
import type { FailureKind } from "../catalog/errors.js";
import type { EventKind } from "../catalog/events.js";

/** What each type of entry says, besides its place in the chain. Whatever came from a payload is redacted and JSON. */
export interface EntryFields {
  /**
   * A bus has begun to be recorded. `recovered`: bytes of an unfinished line that a crash had left and that were cut off. `continues`: the number
   * of the closing entry before it, where it begins a new segment.
   */
  readonly open: {
    readonly source: Source;
    readonly instance: string;
    readonly recovered?: number | undefined;
    readonly continues?: number | undefined;
  };
  readonly hook_call: Place & {
    readonly handler: string;
    readonly owner?: string | undefined;
    readonly stage: Stage;
    /** As this handler saw it. */
    readonly payload: unknown;
    /** The value so far, in a transform. */
    readonly value?: unknown;
  };
  readonly hook_returned: HookAnswer;
  /** Instead of `hook_returned` when the handler denied. */
  readonly hook_vetoed: HookAnswer;
  readonly decision: Place & DecisionFields & { readonly payload: unknown; readonly actor?: Actor | undefined };
  readonly transformed: Place & TransformFields & { readonly payload: unknown; readonly value: unknown };
  /** An event of any kind that was emitted and not decided. */
  readonly emitted: Place & { readonly kind: EventKind; readonly payload: unknown };
  /** Ends a segment. `count` entries come before it, and `head` is the hash of the last one. `lost` entries could not be written, and `unfinished` dispatches had not ended. */
  readonly close: { readonly count: number; readonly head: string; readonly lost: number; readonly unfinished: number };
}

/** Which dispatch an entry belongs to; entries of concurrent ones interleave. */
export interface Place {
  readonly id: string;
  readonly event: string;
  /** How deep within handlers of other events; absent at the top. */
  readonly depth?: number | undefined;
}

/** One answer of a handler, as a transcript records it. */
export interface HookAnswer extends Place {
  readonly handler: string;
  readonly owner?: string | undefined;
  /** What kind of actor the handler is. Missing for a guard. */
  readonly kind?: ActorKind | undefined;
  readonly stage: Stage;
  readonly action: TrailAction;
  readonly reason?: string | undefined;
  /** What the handler returned. */
  readonly outcome?: unknown;
  readonly failure?: FailureKind | undefined;
  /** The code of the failure. */
  readonly code?: string | undefined;
  /** The failure mode of this handler, if it failed. */
  readonly onFailure?: FailureMode | undefined;
  /** The input of the dispatch, if this failure aborted it: no other entry follows. */
  readonly payload?: unknown;
  readonly durationMs: number;
  readonly round: number;
}

/** What a gate decided, as a transcript records it. */
export interface DecisionFields {
  readonly verdict: Verdict;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  readonly cause?: RecordedCause | undefined;
  readonly modified: boolean;
  /** The payload after every rewrite, if it differs from the input. */
  readonly out?: unknown;
  readonly endLoop: boolean;
  readonly again?: Decision["again"];
  readonly handled?: Decision["handled"];
  readonly injections: readonly string[];
  readonly reminders: Decision["reminders"];
}

/** The result of a transform. `out` is the new value, if it differs from the old one. */
export interface TransformFields {
  readonly out?: unknown;
  /** Missing if false. */
  readonly isWithheld?: true;
  readonly injections: readonly string[];
  readonly reminders: Decision["reminders"];
}

/** Why a recorded dispatch failed or was denied. */
export interface RecordedCause {
  readonly code: string;
  readonly message: string;
  readonly failure?: FailureKind | undefined;
}

/** The type of an entry in a transcript. */
export type EntryType = keyof EntryFields;

/** An entry before it has its place in the chain. */
export type EntryBody = { [T in EntryType]: Lost & { readonly type: T } & EntryFields[T] }[EntryType];

interface Lost {
  /** How many entries that could not be written are missing before this one. */
  readonly lostBefore?: number | undefined;
}

interface Link extends Lost {
  readonly v: 1;
  /** Counts from 1. */
  readonly n: number;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The hash of the entry before; 64 zeros in the first. */
  readonly prev: string;
  /** SHA-256 of `prev` and the entry's canonical JSON without `hash`, in hex. */
  readonly hash: string;
}

/** What one line of a transcript holds. */
export type TranscriptEntry = { [T in EntryType]: Link & { readonly type: T } & EntryFields[T] }[EntryType];
/** The entry of one type. */
export type EntryOf<T extends EntryType> = Extract<TranscriptEntry, { readonly type: T }>;

/** The end of a chain. Keep it elsewhere, and `verifyTranscript` can tell whether the tail was cut off. */
export interface TranscriptHead {
  readonly n: number;
  readonly hash: string;
}

/** Entries, or whatever holds them: a transcript in memory, what `readTranscript` gave. */
export type Tape = readonly TranscriptEntry[] | { readonly entries: readonly TranscriptEntry[] };

export function entriesOf(tape: Tape): readonly TranscriptEntry[] {
  return isList(tape) ? tape : tape.entries;
}

function isList(tape: Tape): tape is readonly TranscriptEntry[] {
  return Array.isArray(tape);
}

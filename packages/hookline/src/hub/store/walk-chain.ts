import type { DatabaseSync } from "node:sqlite";
import { type ChainNote, eventLink, noteLink, readNote } from "./chain.js";

/** One entry of the chain as it stands in the store, and whether it holds. */
export interface WalkedEntry {
  readonly n: number;
  readonly link: string;
  /** Of an event. */
  readonly place: number | undefined;
  /** Undefined where it is gone, and for a note. */
  readonly event: ChainedRow | undefined;
  readonly note: ChainNote | undefined;
  readonly fault: EntryFault | undefined;
}

/**
 * `edited`: the link is not that of the bytes and of the link before. `gone`: the event is not there, and no retention says that it removed it.
 * `gap`: entries are missing before this one. `order`: its number is not above the one before. `base`: the chain begins with it, and nothing
 * says why.
 */
export type EntryFault = "edited" | "gone" | "gap" | "order" | "base";

export interface ChainedRow {
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly app: string;
  readonly instance: string;
  readonly session: string | null;
  readonly verdict: string | null;
  readonly body: Uint8Array;
}

interface Stored {
  readonly n: number;
  readonly link: string;
  readonly place?: number;
  readonly text?: string;
  readonly event?: ChainedRow | undefined;
}

/** Goes through the chain from its beginning, checking each entry against the one before, up to a number. */
export function* walkChain(database: DatabaseSync, until = Number.MAX_SAFE_INTEGER): Generator<WalkedEntry> {
  const { isRemoved, base } = readRemovals(database);
  let previous: Stored | undefined;
  for (const entry of storedEntries(database)) {
    if (entry.n > until) return;
    const fault = previous === undefined ? faultOfFirst(entry, base) : faultOf(entry, previous, isRemoved);
    yield {
      n: entry.n,
      link: entry.link,
      place: entry.place,
      event: entry.event,
      note: entry.text === undefined ? undefined : readNote(entry.text),
      fault,
    };
    if (fault !== "order") previous = entry;
  }
}

function faultOfFirst(entry: Stored, base: number | undefined): EntryFault | undefined {
  if (base !== undefined) return entry.n === base ? undefined : "base";
  if (entry.n !== 0 || entry.text === undefined) return "base";
  return noteLink("", 0, entry.text) === entry.link ? undefined : "edited";
}

function faultOf({ n, link, place, text, event }: Stored, previous: Stored, isRemoved: (n: number) => boolean): EntryFault | undefined {
  if (n <= previous.n) return "order";
  if (n > previous.n + 1) return "gap";
  if (text !== undefined) return noteLink(previous.link, n, text) === link ? undefined : "edited";
  if (event === undefined) return isRemoved(n) ? undefined : "gone";
  return eventLink(previous.link, n, place as number, event.body) === link ? undefined : "edited";
}

/** What the notes of retention say. Each is an entry of the chain itself: one that was made up afterwards does not fit in. */
function readRemovals(database: DatabaseSync): { isRemoved(n: number): boolean; readonly base: number | undefined } {
  const ranges: (readonly [number, number])[] = [];
  let base: number | undefined;
  for (const row of database.prepare("SELECT text FROM chain_notes ORDER BY n").iterate()) {
    const note = readNote((row as { text: string }).text);
    if (note?.type !== "retention") continue;
    ranges.push(...note.removed);
    base = note.base;
  }
  return { isRemoved: (n) => ranges.some(([first, last]) => n >= first && n <= last), base: base === 0 ? undefined : base };
}

const EVENT_ROWS = `
  SELECT chain.place AS place, n, link, events.id, at, event, app, instance, session, verdict, CAST(body AS BLOB) AS body
  FROM chain LEFT JOIN events ON events.place = chain.place ORDER BY chain.place`;

/** Events and notes in the order of their numbers. Positions grow with the numbers, so two sorted lists are merged. */
function* storedEntries(database: DatabaseSync): Generator<Stored> {
  const notes = database.prepare("SELECT n, text, link FROM chain_notes ORDER BY n").all() as unknown as Stored[];
  let next = 0;
  for (const row of database.prepare(EVENT_ROWS).iterate() as Iterable<unknown> as Iterable<Stored & ChainedRow>) {
    for (let note = notes[next]; note !== undefined && note.n <= row.n; note = notes[++next]) yield note;
    yield { n: row.n, link: row.link, place: row.place as number, event: row.id === null ? undefined : row };
  }
  yield* notes.slice(next);
}

import { hash, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { ChainHead } from "../protocol.js";
import type { Erasure } from "./erase.js";
import type { Row } from "./row.js";

/** Events that are chained although they carry no decision: they are part of how one came about, or heads that must not be lost. */
export const CHAINED_EVENTS = ["permission:replied", "approval:requested", "transcript:head"] as const;
const chained = new Set<string>(CHAINED_EVENTS);

export function isChained({ event, verdict }: Pick<Row, "event" | "verdict">): boolean {
  return verdict !== null || chained.has(event);
}

/** An entry of the chain that is not an event: how the chain began, or what retention has removed from it. */
export type ChainNote = StartNote | RetentionNote;

interface Carried {
  /** Names the chain: a store that was replaced has another one. */
  readonly chain: string;
  /** Events up to this position were stored before the chain began. */
  readonly after: number;
}

interface StartNote extends Carried {
  readonly type: "start";
  readonly at: string;
  /** A store that should have had a chain had none. */
  readonly isLost?: true;
}

interface RetentionNote extends Carried {
  readonly type: "retention";
  readonly at: string;
  /** First and last number of each run of entries whose events this step removed. */
  readonly removed: readonly (readonly [number, number])[];
  /** A person deleted them, with their session. */
  readonly erased?: Erasure;
  /** The chain now begins with this entry: all before it were removed. */
  readonly base: number;
  /** Over all steps: events removed by retention, and entries that did not verify when they were removed. */
  readonly total: number;
  readonly faults: number;
}

/** SHA-256 over the link before, the entry's number, the event's position and the exact bytes of its body. */
export function eventLink(previous: string, n: number, place: number, body: string | Uint8Array): string {
  const start = `${previous} ${n} ${place}\n`;
  // Two buffers and a copy cost 1 µs more than one text, and every decision is hashed while its sender waits.
  return typeof body === "string" ? hash("sha256", start + body) : hash("sha256", Buffer.concat([Buffer.from(start), body]));
}

export function noteLink(previous: string, n: number, text: string): string {
  return hash("sha256", `${previous} ${n} note\n${text}`);
}

export function readNote(text: string): ChainNote | undefined {
  try {
    const note = JSON.parse(text) as ChainNote;
    return note.type === "start" || note.type === "retention" ? note : undefined;
  } catch {
    return undefined;
  }
}

/** What the newest note carries on. */
export interface ChainState extends Carried, Pick<RetentionNote, "total" | "faults"> {}

/** The chain's one end. `add` and `note` are called within a transaction that `within` has begun, and undone with it. */
export interface Chain {
  readonly head: ChainHead;
  readonly state: ChainState;
  add(rows: readonly Row[], places: readonly number[]): void;
  note(note: ChainNote): void;
  /** Runs a transaction. If it fails, the head is what it was before. */
  within<T>(transaction: () => T): T;
}

/** Continues the chain of a store. The head is kept in memory: rows that are changed behind the hub's back do not become its past. */
export function openChain(database: DatabaseSync): Chain {
  const insertEntries = createEntryInsert(database);
  const insertNote = database.prepare("INSERT INTO chain_notes (n, text, link) VALUES (?, ?, ?)");
  sealStart(database);
  let { n, link } = lastEntry(database);
  let state = stateOf(database);

  return {
    get head() {
      return { chain: state.chain, n, hash: link };
    },
    get state() {
      return state;
    },
    add(rows, places) {
      const entries: (string | number)[] = [];
      for (let index = 0; index < rows.length; index++) {
        const row = rows[index] as Row;
        const place = places[index] as number;
        if (place <= 0 || !isChained(row)) continue;
        link = eventLink(link, ++n, place, row.body);
        entries.push(place, n, link);
      }
      insertEntries(entries);
    },
    note(note) {
      const text = JSON.stringify(note);
      link = noteLink(link, ++n, text);
      insertNote.run(n, text, link);
      if (note.type === "retention") state = carriedBy(note);
    },
    within(transaction) {
      const before = { n, link, state };
      try {
        return transaction();
      } catch (error) {
        ({ n, link, state } = before);
        throw error;
      }
    },
  };
}

const MANY = 50;

/** Many in one statement, as events are inserted: one by one, a call costs more than the hash. */
function createEntryInsert(database: DatabaseSync): (values: readonly (string | number)[]) => void {
  const into = (rows: number) =>
    database.prepare(`INSERT INTO chain (place, n, link) VALUES ${Array.from({ length: rows }, () => "(?, ?, ?)").join(", ")}`);
  const [one, many] = [into(1), into(MANY)];
  return (values) => {
    let start = 0;
    for (; start + MANY * 3 <= values.length; start += MANY * 3) many.run(...values.slice(start, start + MANY * 3));
    for (; start < values.length; start += 3) one.run(...values.slice(start, start + 3));
  };
}

/** Whether the chain has that link at that number, or retention has removed it. */
export function holdsHead(database: DatabaseSync, { head }: Chain, wanted: ChainHead): boolean {
  if (wanted.chain !== head.chain || wanted.n > head.n) return false;
  const found = [
    // From the end, where a head of last time is.
    database.prepare("SELECT link FROM chain WHERE n = ? ORDER BY place DESC LIMIT 1").get(wanted.n),
    database.prepare("SELECT link FROM chain_notes WHERE n = ?").get(wanted.n),
  ].find((row) => row !== undefined);
  if (found !== undefined) return found.link === wanted.hash;
  const { first } = database.prepare("SELECT min(n) AS first FROM (SELECT n FROM chain UNION ALL SELECT n FROM chain_notes)").get() as {
    first: number | null;
  };
  return first !== null && wanted.n < first;
}

interface LastEntry {
  readonly n: number;
  readonly link: string;
}

/** A new store's note has no hash yet, because SQL has none. A store without any note has lost its chain: another begins, and says so. */
function sealStart(database: DatabaseSync): void {
  const { notes } = database.prepare("SELECT count(*) AS notes FROM chain_notes").get() as { notes: number };
  const { entries } = database.prepare("SELECT count(*) AS entries FROM (SELECT 1 FROM chain LIMIT 1)").get() as { entries: number };
  if (notes === 0 && entries === 0) {
    const { seq = 0 } = (database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get() ?? {}) as { seq?: number };
    const note: StartNote = {
      type: "start",
      chain: randomBytes(16).toString("hex"),
      at: new Date().toISOString(),
      after: seq,
      isLost: true,
    };
    database.prepare("INSERT INTO chain_notes (n, text, link) VALUES (0, ?, '')").run(JSON.stringify(note));
  }
  const unsealed = database.prepare("SELECT text FROM chain_notes WHERE n = 0 AND link = ''").get() as { text: string } | undefined;
  if (unsealed !== undefined) database.prepare("UPDATE chain_notes SET link = ? WHERE n = 0").run(noteLink("", 0, unsealed.text));
}

function lastEntry(database: DatabaseSync): LastEntry {
  const found = [
    database.prepare("SELECT n, link FROM chain ORDER BY place DESC LIMIT 1").get(),
    database.prepare("SELECT n, link FROM chain_notes ORDER BY n DESC LIMIT 1").get(),
  ] as unknown as (LastEntry | undefined)[];
  return found.reduce<LastEntry>((last, entry) => (entry !== undefined && entry.n >= last.n ? entry : last), { n: -1, link: "" });
}

/** The newest note that can be read. Without one the chain cannot be named: `verify` reports that. */
function stateOf(database: DatabaseSync): ChainState {
  for (const { text } of database.prepare("SELECT text FROM chain_notes ORDER BY n DESC").iterate() as Iterable<unknown> as Iterable<{
    text: string;
  }>) {
    const note = readNote(text);
    if (note !== undefined) return carriedBy(note);
  }
  return { chain: "", after: 0, total: 0, faults: 0 };
}

function carriedBy(note: ChainNote): ChainState {
  const { chain, after } = note;
  // A lost chain stays known when retention has removed the note that says so.
  return note.type === "start"
    ? { chain, after, total: 0, faults: note.isLost ? 1 : 0 }
    : { chain, after, total: note.total, faults: note.faults };
}

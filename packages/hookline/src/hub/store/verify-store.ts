import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { ChainHead, ChainProblem, ErasedSession, KeptHead, VerifyAnswer } from "../protocol.js";
import { CHAINED_EVENTS, type ChainState, isChained } from "./chain.js";
import type { Erasure } from "./erase.js";
import { openDatabase } from "./open-database.js";
import { transcriptIn } from "./row.js";
import { type ChainedRow, type EntryFault, type WalkedEntry, walkChain } from "./walk-chain.js";

const MAX_PROBLEMS = 100;
/** The first version of the store that has a chain. */
const CHAIN_VERSION = 8;

/** Checks the decisions of a store file, which may be in use, against their chain and against heads that were kept elsewhere. Changes nothing. */
export function verifyStore(path: string, kept: readonly KeptHead[] = []): VerifyAnswer {
  if (!existsSync(path)) throw new Error(`There is no store at "${path}"`);
  const database = openDatabase(path, { readOnly: true });
  try {
    const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version < CHAIN_VERSION) throw new Error(`The store "${path}" has no chain yet: the hub adds it when it is started`);
    // One snapshot: what is stored, or let go, meanwhile must not look like tampering.
    database.exec("BEGIN");
    return { store: path, ...verifyChain(database, kept) };
  } finally {
    database.close();
  }
}

function verifyChain(database: DatabaseSync, kept: readonly KeptHead[]): Omit<VerifyAnswer, "store"> {
  const found = new Findings();
  const links = new Map<number, string | undefined>(kept.map(({ n }) => [n, undefined]));
  let first: WalkedEntry | undefined;
  let previous: WalkedEntry | undefined;
  let state: ChainState = { chain: "", after: 0, total: 0, faults: 0 };
  let [decisions, since] = [0, undefined as string | undefined];
  const erased = new Map<string, ErasedSession>();
  for (const entry of walkChain(database)) {
    const { n, link, note, event } = entry;
    if (links.has(n)) links.set(n, link);
    if (entry.fault !== undefined) found.add(problemOf(entry.fault, entry, previous));
    if (event !== undefined) {
      decisions++;
      if (entry.fault !== "edited") found.add(columnProblem(database, entry, event));
    }
    if (note !== undefined) state = { total: 0, faults: 0, ...note };
    if (note?.type === "retention" && note.erased !== undefined) addErased(erased, note);
    if (note?.type === "start" && note.isLost) found.add(lostChain(note.at));
    since ??= note?.at ?? (event && timeText(event.at));
    first ??= entry;
    if (entry.fault !== "order") previous = entry;
  }
  if (first === undefined) found.add({ kind: "lost", message: "The chain is not there: all of its entries were removed." });
  if (state.faults > 0) found.add(faultsBeforeRetention(state.faults));
  const head: ChainHead = { chain: state.chain, n: previous?.n ?? 0, hash: previous?.link ?? "" };
  for (const problem of findInserted(database, state.after)) found.add(problem);
  for (const problem of findMissingHeads({ kept, head, first: first?.n ?? 0, links })) found.add(problem);
  const { count } = database.prepare(`SELECT count(*) AS count FROM events WHERE place <= ? AND ${MARKED}`).get(state.after) as {
    count: number;
  };
  return {
    ok: found.count === 0,
    decisions,
    removed: state.total,
    erased: [...erased.values()],
    uncovered: count,
    ...(since !== undefined && { since }),
    head,
    faults: found.count,
    problems: found.problems,
  };
}

/** One entry for a session, however many steps it took. */
function addErased(
  known: Map<string, ErasedSession>,
  { at, removed, erased }: { readonly at: string; readonly removed: readonly (readonly [number, number])[]; readonly erased?: Erasure },
): void {
  if (erased === undefined) return;
  const key = JSON.stringify(erased);
  const decisions = removed.reduce((sum, [first, last]) => sum + last - first + 1, known.get(key)?.decisions ?? 0);
  known.set(key, { ...erased, at, decisions });
}

class Findings {
  readonly problems: ChainProblem[] = [];
  count = 0;

  add(problem: ChainProblem | undefined): void {
    if (problem === undefined) return;
    this.count++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }
}

function problemOf(fault: EntryFault, entry: WalkedEntry, previous: WalkedEntry | undefined): ChainProblem {
  const { n, place } = entry;
  const where = { n, ...(place !== undefined && { place }), ...(entry.event && whereOf(entry.event)) };
  const what =
    entry.event === undefined ? (place === undefined ? `Note ${n} of the chain` : `The event at position ${place}`) : named(entry);
  switch (fault) {
    case "edited":
      return { kind: "edited", ...where, message: `${what} is not what was stored: it, or the link of the entry before it, was edited.` };
    case "gone":
      return { kind: "removed", ...where, message: `${what} was removed${afterText(previous)}. Retention did not remove it.` };
    case "gap": {
      const missing = n - (previous?.n ?? -1) - 1;
      const range = missing === 1 ? `Entry ${n - 1} of the chain is` : `Entries ${n - missing} to ${n - 1} of the chain are`;
      return { kind: "removed", ...where, message: `${range} missing${afterText(previous)}.` };
    }
    case "order":
      return { kind: "reordered", ...where, message: `${what} has number ${n} and comes after entry ${previous?.n}.` };
    case "base":
      return {
        kind: "removed",
        ...where,
        message: `The chain begins with entry ${n}. What came before it was removed, and not by retention.`,
      };
  }
}

function named({ place, event }: WalkedEntry): string {
  return `The event ${event?.id} at position ${place}, of ${timeText(event?.at ?? 0)},`;
}

function afterText(previous: WalkedEntry | undefined): string {
  if (previous?.event === undefined) return previous === undefined ? "" : `, after entry ${previous.n}`;
  return `, after the event ${previous.event.id} of ${timeText(previous.event.at)}`;
}

function whereOf({ id, at }: Pick<ChainedRow, "id" | "at">): { readonly id: string; readonly at: string } {
  return { id, at: timeText(at) };
}

/** Out of range if the column was edited. */
function timeText(at: number): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : `${at} ms`;
}

/** Lists and filters read the columns, so these must say what the body says. */
function columnProblem(database: DatabaseSync, { place, n }: WalkedEntry, row: ChainedRow): ChainProblem | undefined {
  const body = parse(row.body);
  const said: { readonly [column: string]: unknown } = {
    id: body?.id,
    event: body?.event,
    app: body?.source?.app,
    instance: body?.source?.instance,
    session: body?.session?.id ?? null,
    verdict: body?.decision?.verdict ?? null,
    // A time far ahead is stored as that of its arrival.
    at: Math.min(Date.parse(body?.at ?? ""), row.at),
  };
  const wrong = Object.keys(said).find((column) => said[column] !== row[column as keyof ChainedRow]);
  const where = { n, place: place as number, ...whereOf(row) };
  const what = `The event ${row.id} at position ${place}, of ${timeText(row.at)},`;
  if (wrong !== undefined)
    return { kind: "edited", ...where, message: `${what} was edited: its column "${wrong}" does not say what its text says.` };
  return body?.event === "transcript:head" ? headProblem(database, body.payload, { where, what }) : undefined;
}

/** The hub's list of heads outlives their events; as long as both are there, they must agree. */
function headProblem(
  database: DatabaseSync,
  payload: unknown,
  { where, what }: { readonly where: object; readonly what: string },
): ChainProblem | undefined {
  const told = transcriptIn(payload);
  if (told === null) return undefined;
  const { id, n, hash } = told;
  if (database.prepare("SELECT 1 FROM transcript_heads WHERE id = ? AND n = ? AND hash = ?").get(id, n, hash) !== undefined)
    return undefined;
  return { kind: "removed", ...where, message: `${what} tells of the head of a transcript that was removed from the list of heads.` };
}

interface Body {
  readonly id?: string;
  readonly at?: string;
  readonly event?: string;
  readonly source?: { readonly app?: string; readonly instance?: string };
  readonly session?: { readonly id?: string };
  readonly decision?: { readonly verdict?: string };
  readonly payload?: unknown;
}

function parse(bytes: Uint8Array | string): Body | undefined {
  try {
    return JSON.parse(typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes)) as Body;
  } catch {
    return undefined;
  }
}

const MARKED = `(verdict IS NOT NULL OR event IN (${CHAINED_EVENTS.map((name) => `'${name}'`).join(", ")}))`;

/** Decisions that stand in the store without an entry in the chain. Their columns may hide it, so that texts that may hold one are read. */
function* findInserted(database: DatabaseSync, after: number): Generator<ChainProblem> {
  const rows = database
    .prepare(
      `SELECT place, id, at, event, verdict, CAST(body AS TEXT) AS body FROM events
       WHERE place > ? AND NOT EXISTS (SELECT 1 FROM chain WHERE chain.place = events.place)
       AND (${MARKED} OR instr(body, '"decision"') > 0 OR instr(body, '\\u') > 0) ORDER BY place`,
    )
    .iterate(after) as Iterable<unknown> as Iterable<ChainedRow & { readonly place: number; readonly body: unknown }>;
  for (const { place, id, at, event, verdict, body } of rows) {
    const envelope = parse(String(body));
    const told = { event: envelope?.event ?? event, verdict: envelope?.decision?.verdict ?? null };
    if (!isChained({ event, verdict }) && !isChained(told)) continue;
    const message = `The event ${id} at position ${place}, of ${timeText(at)}, carries a decision and is not in the chain: it was inserted, or its entry was removed.`;
    yield { kind: "inserted", place, id, at: timeText(at), message };
  }
}

function lostChain(at: string): ChainProblem {
  return { kind: "lost", at, message: `When the hub started at ${at}, the chain of the decisions before was gone. Another chain began.` };
}

function faultsBeforeRetention(faults: number): ChainProblem {
  const what = faults === 1 ? "1 entry" : `${faults} entries`;
  return { kind: "edited", message: `Of what retention has removed since, ${what} had been edited or removed before.` };
}

interface KeptAgainst {
  readonly kept: readonly KeptHead[];
  readonly head: ChainHead;
  /** The number of the first entry that is left. */
  readonly first: number;
  /** The links that the chain has at the numbers of the kept heads. */
  readonly links: ReadonlyMap<number, string | undefined>;
}

/** What only a head that was kept elsewhere can show: a cut-off tail, a recomputed chain, another store. */
function findMissingHeads({ kept, head, first, links }: KeptAgainst): ChainProblem[] {
  return kept.flatMap((known): ChainProblem[] => {
    const { n, hash, chain, from, file, at } = known;
    const where = { n, ...(at !== undefined && { at }), ...(file !== undefined && { headFile: file }) };
    const said = `${from} says that entry ${n} has the link ${hash.slice(0, 12)}…${at === undefined ? "" : ` (${at})`}`;
    if (chain !== undefined && chain !== head.chain)
      return [{ kind: "replaced", ...where, message: `${said}, in another chain: the store was replaced, or a new chain was started.` }];
    if (n > head.n)
      return [{ kind: "cut off", ...where, message: `${said}, but the chain ends with entry ${head.n}: its end was cut off.` }];
    const link = links.get(n);
    // Retention has removed it, which the chain itself says; or it is missing in the middle, which was found there.
    if (n < first || link === undefined || link === hash) return [];
    return [
      { kind: "edited", ...where, message: `${said}, but it has another one: an earlier entry was edited and the chain recomputed.` },
    ];
  });
}

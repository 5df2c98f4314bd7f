import { type Claim, keyOf, readKey, sendingAt, totalOf } from "./oracle.ts";
import type { StoredRow } from "./store-rows.ts";

/** As `docs/reliability.md` names them; `own` is what only this scenario asks for. */
export const INVARIANTS = ["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I10", "I11", "I12", "I13", "own"] as const;
export type Invariant = (typeof INVARIANTS)[number];

interface Cell {
  /** How many things were looked at. */
  readonly count: number;
  readonly violations: readonly string[];
}

export interface Verdict {
  readonly scenario: string;
  readonly seed: number;
  readonly cells: { readonly [I in Invariant]?: Cell };
  /** Faults that should have happened and did not: the run proves nothing. */
  readonly voids: readonly string[];
  /** Why it cannot be tried here. */
  readonly skipped?: string;
  readonly notes: readonly string[];
}

export function isGood({ cells, voids }: Verdict): boolean {
  return voids.length === 0 && Object.values(cells).every(({ violations }) => violations.length === 0);
}

/** Gathers what was looked at, and says what it amounts to. */
export class Judge {
  readonly #cells: { [I in Invariant]?: { count: number; violations: string[] } } = {};
  readonly #voids: string[] = [];
  readonly #notes: string[] = [];

  /** Looked at `count` things, and these were wrong. */
  look(invariant: Invariant, count: number, violations: readonly string[] = []): void {
    const cell = this.#cells[invariant] ?? { count: 0, violations: [] };
    this.#cells[invariant] = cell;
    cell.count += count;
    cell.violations.push(...violations);
  }

  expect(invariant: Invariant, holds: boolean, otherwise: string): void {
    this.look(invariant, 1, holds ? [] : [otherwise]);
  }

  /** A fault that must have happened, or the run is void. */
  happened(didIt: boolean, what: string): void {
    if (!didIt) this.#voids.push(what);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  verdict(scenario: string, seed: number): Verdict {
    return { scenario, seed, cells: this.#cells, voids: this.#voids, notes: this.#notes };
  }
}

/** Compares what is in the store with what was sent: I1 to I5, and I8 for publishers that could still say what they counted. */
export function judgeStore(judge: Judge, rows: readonly StoredRow[], claims: readonly Claim[]): void {
  const byName = new Map(claims.map((claim) => [claim.name, { claim, rows: [] as StoredRow[] }]));
  const foreign: string[] = [];
  for (const row of rows) {
    const found = byName.get(readKey(row.payload)?.name ?? "");
    if (found === undefined) foreign.push(`${row.id} at ${row.place} is nobody's: ${JSON.stringify(row.payload).slice(0, 80)}`);
    else found.rows.push(row);
  }
  judge.look("I2", foreign.length, foreign);
  for (const { claim, rows: own } of byName.values()) judgePublisher(judge, claim, own);
  const ids = new Set(rows.map(({ id }) => id));
  judge.look("I5", 0, ids.size === rows.length ? [] : [`${rows.length - ids.size} ids are there twice`]);
}

function judgePublisher(judge: Judge, claim: Claim, rows: readonly StoredRow[]): void {
  const indexes = rows.map(({ payload }) => (readKey(payload) as { index: number }).index);
  const there = new Set(indexes);
  const dropped = totalOf(claim.counters?.dropped ?? {});
  const missing = missingOf(claim, there);
  const lost =
    missing.length === dropped ? [] : [`${claim.name}: ${missing.length} missing, ${dropped} counted as dropped: ${some(missing)}`];
  judge.look("I1", owedBy(claim) - missing.length, lost);
  const most = claim.emitted + (claim.wasKilled === true ? 1 : 0);
  judge.look(
    "I2",
    rows.length,
    indexes.filter((index) => index >= most).map((index) => `${keyOf(claim.name, index)} was never emitted`),
  );
  judge.look("I3", rows.length, differing(claim, rows, indexes));
  judge.look("I4", rows.length, disordered(claim, rows, missing.length));
  judge.look("I5", rows.length, there.size === rows.length ? [] : [`${claim.name}: ${rows.length - there.size} events are there twice`]);
  if (claim.counters !== undefined) judgeCounters(judge, claim, rows.length);
}

function missingOf(claim: Claim, there: ReadonlySet<number>): number[] {
  return Array.from({ length: owedBy(claim) }, (_, index) => index).filter((index) => !there.has(index));
}

function owedBy({ owed, emitted }: Claim): number {
  return owed ?? emitted;
}

function differing({ name, seed, minChars }: Claim, rows: readonly StoredRow[], indexes: readonly number[]): string[] {
  return rows.flatMap(({ payload, event }, at) => {
    const sent = sendingAt(name, seed, indexes[at] as number, minChars);
    const isSame = event === sent.event && JSON.stringify(payload) === JSON.stringify(sent.payload);
    return isSame ? [] : [`${sent.payload.key} differs: ${event} ${JSON.stringify(payload).slice(0, 120)}`];
  });
}

/** In the order of places `seq` only grows, and what is skipped was dropped. */
function disordered({ name, emitted, wasKilled }: Claim, rows: readonly StoredRow[], missing: number): string[] {
  const faults: string[] = [];
  let [last, gaps] = [0, 0];
  for (const { seq, place } of rows) {
    if (seq <= last) faults.push(`${name}: ${seq} comes after ${last}, at place ${place}`);
    gaps += Math.max(0, seq - last - 1);
    last = Math.max(last, seq);
  }
  gaps += Math.max(0, emitted - last);
  if (faults.length === 0 && gaps !== missing && wasKilled !== true) faults.push(`${name}: ${gaps} numbers skipped, ${missing} dropped`);
  return faults.slice(0, 5);
}

function judgeCounters(judge: Judge, { name, emitted, counters }: Claim, stored: number): void {
  if (counters === undefined) return;
  const { accepted, acked, pending, spooled, dropped } = counters;
  const said = acked + spooled + pending + totalOf(dropped);
  const words = `acked ${acked} + spooled ${spooled} + pending ${pending} + dropped ${JSON.stringify(dropped)}`;
  judge.look("I8", accepted, [
    ...(accepted === emitted ? [] : [`${name}: accepted ${accepted} of ${emitted} emitted`]),
    ...(said === accepted ? [] : [`${name}: ${words} is not ${accepted}`]),
    ...(pending === 0 && acked + spooled !== stored ? [`${name}: ${words}, but ${stored} stored`] : []),
  ]);
}

function some(indexes: readonly number[]): string {
  return `${indexes.slice(0, 5).join(", ")}${indexes.length > 5 ? ", …" : ""}`;
}

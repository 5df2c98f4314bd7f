import type { DatabaseSync } from "node:sqlite";
import type { Chain } from "./chain.js";
import type { Erasure } from "./erase.js";
import { walkChain } from "./walk-chain.js";

/**
 * Notes in the chain which of its events are about to be removed, within the transaction that removes them. Entries before the first event
 * that stays are dropped up to one, the base, from whose link the rest still verifies. Nothing is dropped unseen: entries that do not verify
 * any more are counted in the note.
 */
export function noteRemoval(
  database: DatabaseSync,
  chain: Chain,
  { places, erased }: { readonly places: readonly number[]; readonly erased?: Erasure | undefined },
): void {
  const list = JSON.stringify(places);
  const numbers = database
    .prepare("SELECT n FROM chain WHERE place IN (SELECT value FROM json_each(?)) ORDER BY place")
    .all(list)
    .map(({ n }) => n as number);
  if (numbers.length === 0) return;
  const first = firstThatStays(database, list);
  const base = (first?.n ?? chain.head.n + 1) - 1;
  const { chain: name, after, total, faults } = chain.state;
  chain.note({
    type: "retention",
    chain: name,
    after,
    at: new Date().toISOString(),
    removed: runsOf(numbers),
    ...(erased !== undefined && { erased }),
    base,
    total: total + numbers.length,
    faults: faults + faultsUpTo(database, base),
  });
  // Positions grow with the numbers: bounded by both, only what goes is read.
  database.prepare("DELETE FROM chain WHERE place < ? AND n < ?").run(first?.place ?? Number.MAX_SAFE_INTEGER, base);
  database.prepare("DELETE FROM chain_notes WHERE n < ?").run(base);
}

/** The first entry whose event stays. */
function firstThatStays(database: DatabaseSync, list: string): { readonly n: number; readonly place: number } | undefined {
  return database
    .prepare(
      `SELECT n, place FROM chain WHERE place NOT IN (SELECT value FROM json_each(?))
       AND EXISTS (SELECT 1 FROM events WHERE events.place = chain.place) ORDER BY place LIMIT 1`,
    )
    .get(list) as { n: number; place: number } | undefined;
}

function faultsUpTo(database: DatabaseSync, base: number): number {
  let faults = 0;
  for (const { fault } of walkChain(database, base)) if (fault !== undefined) faults++;
  return faults;
}

function runsOf(numbers: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const n of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && n === last[1] + 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs;
}

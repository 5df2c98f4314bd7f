import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { upgradeEnvelope } from "@hookline/core/internal";
import type { Envelope } from "@hookline/core/sinks";
import type { Chain } from "./chain.js";
import { copiesBefore } from "./copy-before.js";
import { SHRINKABLE } from "./open-database.js";
import { deletePlaces } from "./retention.js";
import { takeOut } from "./rollup-remover.js";
import { toRow } from "./row.js";
import { isSound } from "./row-sum.js";
import { Tally } from "./tally.js";
import { mergeWords, removeWords } from "./word-parts.js";

const CHUNK = 500;
const MAX_CHARS = 8 * 1024 * 1024;

/** The session that a person deletes for good, and the person. It stays in the chain, for `verify`. */
export interface Erasure {
  readonly session: string;
  readonly by: string;
}

/**
 * Deletes some events of a session from every table, and says how many; none left is 0. Some at a time, because an append must not wait for all of
 * them. Their bytes are still in the file: `scrub` removes these.
 */
export function eraseSome(database: DatabaseSync, chain: Chain, erasure: Erasure): number {
  database.exec("PRAGMA secure_delete = ON");
  const rows = someOf(database, erasure.session);
  const places = rows.map(({ place }) => place);
  const gone = deletePlaces(database, chain, places, {
    erased: erasure,
    within() {
      takeOut(database, tallyOf(rows));
      removeWords(database, places);
      database.prepare("DELETE FROM transcript_heads WHERE place IN (SELECT value FROM json_each(?))").run(JSON.stringify(places));
    },
  });
  if (gone === 0)
    for (const sql of ["DELETE FROM sessions WHERE id = ?", "DELETE FROM usage WHERE session = ?"])
      database.prepare(sql).run(erasure.session);
  return gone;
}

interface Erased {
  readonly place: number;
  readonly at: number;
  readonly body: string;
  readonly sum: number | null;
}

/** The next of them: a few of 4 MiB, many of few bytes. */
function someOf(database: DatabaseSync, session: string): Erased[] {
  const rows: Erased[] = [];
  let chars = 0;
  for (const row of database
    .prepare("SELECT place, at, body, sum FROM events WHERE session = ? ORDER BY at, place LIMIT ?")
    .iterate(session, CHUNK) as Iterable<unknown> as Iterable<Erased>) {
    rows.push(row);
    // A damaged one may be of any type.
    chars += String(row.body).length;
    if (chars >= MAX_CHARS) break;
  }
  return rows;
}

/** What a damaged event was counted as is not known. It goes all the same, and its counts with retention. */
function tallyOf(rows: readonly Erased[]): Tally {
  const tally = new Tally();
  for (const { at, body, sum } of rows)
    if (isSound(body, sum)) tally.add({ ...toRow({ envelope: upgradeEnvelope(JSON.parse(body) as Envelope), body }), at });
  return tally;
}

/**
 * Removes the bytes of what was deleted: from the text index, which keeps the words of deleted events until it is merged, from free pages, from the
 * log, and the copy that was kept before an update. Returns the copies that are gone.
 */
export function scrub(database: DatabaseSync, path: string): string[] {
  mergeWords(database);
  database.exec("DELETE FROM origins WHERE id NOT IN (SELECT origin FROM events WHERE origin IS NOT NULL)");
  // In memory, the copy that VACUUM makes would take as much as the store.
  database.exec(`PRAGMA temp_store = FILE; ${SHRINKABLE}; VACUUM; PRAGMA temp_store = MEMORY`);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const copies = copiesBefore(dirname(path));
  for (const copy of copies) rmSync(copy, { force: true });
  return copies;
}

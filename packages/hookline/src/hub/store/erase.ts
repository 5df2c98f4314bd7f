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
import { Tally } from "./tally.js";
import { mergeWords, removeWords } from "./word-parts.js";

const CHUNK = 500;

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
  const rows = database
    .prepare("SELECT place, at, body, origin FROM events WHERE session = ? ORDER BY place LIMIT ?")
    .all(erasure.session, CHUNK) as unknown as Erased[];
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
  readonly origin: number | null;
}

function tallyOf(rows: readonly Erased[]): Tally {
  const tally = new Tally();
  for (const { at, body } of rows) tally.add({ ...toRow({ envelope: upgradeEnvelope(JSON.parse(body) as Envelope), body }), at });
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

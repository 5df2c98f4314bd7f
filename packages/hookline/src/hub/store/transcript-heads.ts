import type { DatabaseSync } from "node:sqlite";
import type { TranscriptHeadRow } from "../protocol.js";
import { openDatabase } from "./open-database.js";
import type { Row } from "./row.js";

/** How many heads are kept once the events that told of them are gone: a transcript is verified months later. */
const MAX_HEADS = 20_000;

/**
 * Keeps every reported head of a transcript. A head never replaces another: otherwise a forged head of a rewritten file
 * would replace the true one.
 */
export function createTranscriptHeads(database: DatabaseSync): { add(rows: readonly Row[], places: readonly number[]): void } {
  const insert = database.prepare("INSERT INTO transcript_heads VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  return {
    add(rows, places) {
      for (let index = 0; index < rows.length; index++) {
        const { transcript, at } = rows[index] as Row;
        const place = places[index] as number;
        if (transcript === null || place <= 0) continue;
        const { id, n, hash, isClosed, path } = transcript;
        insert.run(id, n, hash, Number(isClosed), path, at, place);
      }
    },
  };
}

export function readTranscriptHeads(database: DatabaseSync, id: string): TranscriptHeadRow[] {
  const rows = database.prepare("SELECT n, hash, closed, path, at, place FROM transcript_heads WHERE id = ? ORDER BY n, place").all(id);
  return rows.map(({ closed, path, ...row }) => ({
    ...(row as unknown as Omit<TranscriptHeadRow, "isClosed" | "path">),
    isClosed: closed === 1,
    ...(path !== null && { path: String(path) }),
  }));
}

/** The same of a store file that no hub has open. */
export function readHeadsFrom(path: string, id: string): TranscriptHeadRow[] {
  const database = openDatabase(path, { readOnly: true });
  try {
    return readTranscriptHeads(database, id);
  } finally {
    database.close();
  }
}

/** The oldest of very many, unless the event that told of them is still there. */
export function forgetTranscriptHeads(database: DatabaseSync): void {
  database
    .prepare(
      `DELETE FROM transcript_heads WHERE place <= (SELECT place FROM transcript_heads ORDER BY place DESC LIMIT 1 OFFSET ?)
       AND NOT EXISTS (SELECT 1 FROM events WHERE events.place = transcript_heads.place)`,
    )
    .run(MAX_HEADS);
}

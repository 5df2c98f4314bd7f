import type { DatabaseSync } from "node:sqlite";

/** A part of the text index: a table of its own, for the events from a place on, up to the next part. */
export interface WordPart {
  readonly first: number;
  readonly name: string;
  /** How much text is in it. */
  readonly chars: number;
}

/** Oldest first. */
export function readWordParts(database: DatabaseSync): WordPart[] {
  return database.prepare("SELECT first, name, chars FROM word_parts ORDER BY first").all() as unknown as WordPart[];
}

/** Begins a part. */
export function addWordPart(database: DatabaseSync, first: number): WordPart {
  const name = `words_${first}`;
  database.exec(`CREATE VIRTUAL TABLE ${name} USING fts5 (body, content = '', contentless_delete = 1, tokenize = 'unicode61')`);
  database.prepare("INSERT INTO word_parts (first, name, chars) VALUES (?, ?, 0)").run(first, name);
  return { first, name, chars: 0 };
}

const MAX_CHARS = 64 * 1024 * 1024;

/** How much text a part has. Small against the store's limit, because the oldest part goes as a whole. */
export function maxPartChars(maxBytes = Number.POSITIVE_INFINITY): number {
  return Math.min(MAX_CHARS, maxBytes / 16);
}

/**
 * Drops the oldest part if it is only about events before the first one that is left, and says whether it did. The words of events that are gone
 * stay until then, and are not found: to take them out one by one would take longer than to put them in. A part from before the limit was so low is
 * too large for that: once half of it is of no use, everything is indexed again.
 */
export function dropWordPart(database: DatabaseSync, first: number, maxBytes: number | undefined): boolean {
  const parts = readWordParts(database);
  const [oldest, next] = parts;
  if (oldest === undefined) return false;
  if (next !== undefined && next.first <= first) return drop(database, [oldest]);
  const { place } = database.prepare("SELECT place FROM progress WHERE name = 'words'").get() as { readonly place: number };
  const end = Math.min(next?.first ?? Number.MAX_SAFE_INTEGER, place + 1);
  const isHalfGone = first - oldest.first >= (end - oldest.first) / 2;
  return oldest.chars > 2 * maxPartChars(maxBytes) && isHalfGone && drop(database, parts, Math.min(first - 1, place));
}

/** `from`: the place after which events are indexed again. */
function drop(database: DatabaseSync, parts: readonly WordPart[], from?: number): true {
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const { name, first } of parts) {
      database.exec(`DROP TABLE ${name}`);
      database.prepare("DELETE FROM word_parts WHERE first = ?").run(first);
    }
    if (from !== undefined) database.prepare("UPDATE progress SET place = ? WHERE name = 'words'").run(from);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
  return true;
}

/** Takes single events out of the index, in ascending order. */
export function removeWords(database: DatabaseSync, places: readonly number[]): void {
  const parts = readWordParts(database);
  for (const [index, { first, name }] of parts.entries()) {
    const end = parts[index + 1]?.first ?? Number.MAX_SAFE_INTEGER;
    const own = places.filter((place) => place >= first && place < end);
    if (own.length > 0) database.prepare(`DELETE FROM ${name} WHERE rowid IN (SELECT value FROM json_each(?))`).run(JSON.stringify(own));
  }
}

/** Merges each part, so that nothing of what was taken out is left in it. */
export function mergeWords(database: DatabaseSync): void {
  for (const { name } of readWordParts(database)) database.exec(`INSERT INTO ${name} (${name}) VALUES ('optimize')`);
}

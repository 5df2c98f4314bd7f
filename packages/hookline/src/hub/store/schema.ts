import type { DatabaseSync } from "node:sqlite";

/** One step per version; a store of an older version is brought up step by step, each in a transaction of its own. */
const migrations: readonly string[] = [
  `
  CREATE TABLE events (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    app TEXT NOT NULL,
    instance TEXT NOT NULL,
    session TEXT,
    tool TEXT,
    verdict TEXT,
    body TEXT NOT NULL
  );
  CREATE INDEX events_by_session ON events (session, place) WHERE session IS NOT NULL;
  CREATE INDEX events_by_name ON events (event, place);
  CREATE INDEX events_by_verdict ON events (verdict, place) WHERE verdict IN ('deny', 'ask');
  CREATE INDEX events_by_time ON events (at);
  CREATE TABLE counts (minute INTEGER NOT NULL, event TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (minute, event)) WITHOUT ROWID;
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, app TEXT NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, events INTEGER NOT NULL, denied INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX sessions_by_time ON sessions (last_at);
  CREATE VIRTUAL TABLE words USING fts5 (body, content = '', contentless_delete = 1, tokenize = 'unicode61');
  CREATE TABLE progress (name TEXT PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO progress VALUES ('words', 0);
  `,
  "CREATE TABLE cursors (name TEXT PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID",
];

const SCHEMA_VERSION = migrations.length;

/** Brings a database up to this version. Throws for one that a newer Hookline has written. */
export function migrate(database: DatabaseSync): void {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The store is of version ${version}, and this Hookline knows ${SCHEMA_VERSION}. Update Hookline, or use another folder with --data.`,
    );
  }
  for (let step = version; step < SCHEMA_VERSION; step++) {
    database.exec(`BEGIN IMMEDIATE; ${migrations[step]}; PRAGMA user_version = ${step + 1}; COMMIT`);
  }
}

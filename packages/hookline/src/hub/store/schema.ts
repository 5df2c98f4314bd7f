import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { HookError } from "@hookline/core";
import { findInstallation } from "../../machine/installation.js";
import { readWordParts } from "./word-parts.js";

/** Notes of events that are stored already when they arrived: at the latest of their own times. */
export const ARRIVALS_OF_EVENTS =
  "INSERT INTO arrivals SELECT min(place), max(at), '', 0 FROM events INDEXED BY events_by_time GROUP BY place / 1000";

/** One step per version; a store of an older version is brought up step by step, each in a transaction of its own. */
export const migrations: readonly string[] = [
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
  `
  CREATE TABLE rollup (
    kind TEXT NOT NULL, minute INTEGER NOT NULL, name TEXT NOT NULL,
    events INTEGER NOT NULL, denied INTEGER NOT NULL, asked INTEGER NOT NULL, last_at INTEGER NOT NULL,
    PRIMARY KEY (kind, minute, name)
  ) WITHOUT ROWID;
  ALTER TABLE sessions ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN instance TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN agent TEXT;
  ALTER TABLE sessions ADD COLUMN llm_in REAL;
  ALTER TABLE sessions ADD COLUMN llm_out REAL;
  ALTER TABLE sessions ADD COLUMN llm_cost REAL;
  ALTER TABLE sessions ADD COLUMN turn_in REAL;
  ALTER TABLE sessions ADD COLUMN turn_out REAL;
  ALTER TABLE sessions ADD COLUMN turn_cost REAL;
  INSERT INTO rollup SELECT 'app', at / 60000, substr(app, 1, 200), count(*), total(verdict = 'deny'), total(verdict = 'ask'), max(at)
    FROM events GROUP BY 2, 3;
  INSERT INTO rollup SELECT 'tool', at / 60000, substr(tool, 1, 200), count(*), total(verdict = 'deny'), total(verdict = 'ask'), max(at)
    FROM events WHERE tool IS NOT NULL GROUP BY 2, 3;
  INSERT INTO rollup SELECT kind || '/hour', minute / 60 * 60, name, sum(events), sum(denied), sum(asked), max(last_at)
    FROM rollup GROUP BY 1, 2, 3;
  `,
  // What handlers did before is not counted: to read the trails of a million decisions would hold up the start.
  `
  CREATE TABLE handlers (
    span INTEGER NOT NULL, minute INTEGER NOT NULL, app TEXT NOT NULL, owner TEXT NOT NULL, handler TEXT NOT NULL, event TEXT NOT NULL,
    calls INTEGER NOT NULL, denied INTEGER NOT NULL, asked INTEGER NOT NULL, failed INTEGER NOT NULL, last_at INTEGER NOT NULL,
    times TEXT NOT NULL,
    PRIMARY KEY (span, minute, app, owner, handler, event)
  ) WITHOUT ROWID;
  UPDATE sessions SET asked = found.asked
    FROM (SELECT session, count(*) AS asked FROM events WHERE verdict = 'ask' GROUP BY session) AS found
    WHERE found.session = sessions.id AND instance = '';
  UPDATE sessions SET instance = coalesce((SELECT instance FROM events WHERE session = sessions.id ORDER BY place DESC LIMIT 1), '')
    WHERE instance = '';
  `,
  // For stored events it is not looked up whether a person was asked and answered, because only the bodies say so.
  `
  ALTER TABLE events ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
  UPDATE events SET asked = 1 WHERE verdict = 'ask';
  CREATE INDEX events_asked ON events (place) WHERE asked = 1;
  `,
  `
  ALTER TABLE sessions ADD COLUMN parent TEXT;
  CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
  `,
  // A session is read in the order of its events' times. What the hub itself wrote into one does not say which agent it is of.
  `
  CREATE INDEX events_by_session_time ON events (session, at, place) WHERE session IS NOT NULL;
  UPDATE sessions SET app = coalesce(
      (SELECT app FROM events WHERE session = sessions.id AND app <> 'hookline-hub' ORDER BY at, place LIMIT 1),
      (SELECT body ->> '$.payload.approval.source.app' FROM events
        WHERE session = sessions.id AND app = 'hookline-hub' AND event = 'approval:requested' ORDER BY at, place LIMIT 1),
      '')
    WHERE app = 'hookline-hub';
  UPDATE sessions SET instance = coalesce(
      (SELECT instance FROM events WHERE session = sessions.id AND app <> 'hookline-hub' ORDER BY at DESC, place DESC LIMIT 1),
      (SELECT body ->> '$.payload.approval.source.instance' FROM events
        WHERE session = sessions.id AND app = 'hookline-hub' AND event = 'approval:requested' ORDER BY at, place LIMIT 1),
      '')
    WHERE instance IN (
      SELECT instance FROM events WHERE event IN ('approval:requested', 'permission:replied', 'notification:sent') AND app = 'hookline-hub');
  `,
  // The chain begins here, with a note that says so. No row of an event is touched: bodies are hashed as they were stored.
  `
  CREATE TABLE chain (place INTEGER PRIMARY KEY, n INTEGER NOT NULL, link TEXT NOT NULL);
  CREATE TABLE chain_notes (n INTEGER PRIMARY KEY, text TEXT NOT NULL, link TEXT NOT NULL);
  INSERT INTO chain_notes SELECT 0, json_object(
    'type', 'start', 'chain', lower(hex(randomblob(16))), 'at', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    'after', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)
  ), '';
  CREATE TABLE transcript_heads (
    id TEXT NOT NULL, n INTEGER NOT NULL, hash TEXT NOT NULL, closed INTEGER NOT NULL, path TEXT, at INTEGER NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (id, n, hash)
  ) WITHOUT ROWID;
  `,
  // What the hub must know of itself at its next start, whatever happened to the files of the state folder.
  "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  // Events from before Hookline was there, read from the files of agents.
  "ALTER TABLE events ADD COLUMN imported INTEGER NOT NULL DEFAULT 0",
  // The store's own id, by which a fleet tells two stores of one host apart. The host that an event of a fleet came from, by the name of its
  // credential; null for events of this machine, which no index holds.
  `
  INSERT INTO facts VALUES ('store', lower(hex(randomblob(16))));
  ALTER TABLE events ADD COLUMN host TEXT;
  CREATE INDEX events_by_host ON events (host, place) WHERE host IS NOT NULL;
  ALTER TABLE sessions ADD COLUMN host TEXT;
  `,
  // By which way and from which process events came. `owner`: the process, as one text; null where it is not known.
  `
  CREATE TABLE origins (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, instance TEXT, owner TEXT, description TEXT NOT NULL, last_place INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX origins_by_instance ON origins (instance, id) WHERE owner IS NOT NULL AND instance IS NOT NULL;
  ALTER TABLE events ADD COLUMN origin INTEGER;
  `,
  // Tokens and money. Of the stored events, those that report usage are read again.
  `
  ALTER TABLE sessions ADD COLUMN model TEXT;
  ALTER TABLE sessions ADD COLUMN cwd TEXT;
  CREATE TABLE usage (
    quarter INTEGER NOT NULL, session TEXT NOT NULL, app TEXT NOT NULL, model TEXT NOT NULL, cwd TEXT NOT NULL, way TEXT NOT NULL,
    is_priced INTEGER NOT NULL, requests INTEGER NOT NULL,
    input REAL, output REAL, cache_read REAL, cache_write REAL, reasoning REAL, cost REAL,
    PRIMARY KEY (quarter, session, app, model, cwd, way, is_priced)
  ) WITHOUT ROWID;
  CREATE INDEX usage_by_session ON usage (session);
  INSERT INTO usage
    SELECT at / 900000, coalesce(session, ''), app, coalesce(payload ->> '$.model', payload ->> '$.agent.model', ''),
      coalesce(payload ->> '$.cwd', ''), CASE event WHEN 'llm:after' THEN 'request' ELSE 'turn' END,
      typeof(payload ->> '$.usage.costUsd') IN ('integer', 'real'), count(*),
      sum(payload ->> '$.usage.inputTokens'), sum(payload ->> '$.usage.outputTokens'),
      sum(payload ->> '$.usage.cacheReadTokens'), sum(payload ->> '$.usage.cacheWriteTokens'), sum(payload ->> '$.usage.reasoningTokens'),
      sum(payload ->> '$.usage.costUsd')
    FROM (
      SELECT at, session, app, event, CASE WHEN json_valid(body) THEN body -> '$.payload' END AS payload
        FROM events WHERE event IN ('llm:after', 'turn:end')
    ) WHERE payload -> '$.usage' IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;
  `,
  // The checksum of the body; null in rows that were stored without one.
  "ALTER TABLE events ADD COLUMN sum INTEGER",
  // When events arrived, by the minute, for retention; of stored events only their own times are known. The text index in parts, of which the one
  // before this version is the first. How many events there are: to count ten million takes seconds.
  `
  CREATE TABLE arrivals (place INTEGER PRIMARY KEY, at INTEGER NOT NULL, boot TEXT NOT NULL, uptime INTEGER NOT NULL);
  ${ARRIVALS_OF_EVENTS};
  CREATE TABLE word_parts (first INTEGER PRIMARY KEY, name TEXT NOT NULL, chars INTEGER NOT NULL);
  INSERT INTO word_parts SELECT 0, 'words', 2 * coalesce(sum(length(block)), 0) FROM words_data;
  INSERT INTO progress SELECT 'events', count(*) FROM events;
  `,
  // A session is read by time; by place, the index of times serves too. Each index costs an append about a tenth of its time.
  "DROP INDEX events_by_session",
  "ALTER TABLE sessions ADD COLUMN title TEXT",
];

export const SCHEMA_VERSION = migrations.length;

/** Whether a store is of an older version, so that opening it changes it. */
export function isOutdated(database: DatabaseSync): boolean {
  const version = versionOf(database);
  return version > 0 && version < SCHEMA_VERSION;
}

/** Brings a database up to this version, and tells before each step. Throws for one that a newer Hookline has written. */
export function migrate(database: DatabaseSync, onStep: (step: number, of: number) => void = () => {}): void {
  const version = versionOf(database);
  if (version > SCHEMA_VERSION) throw newer(version);
  for (let step = version; step < SCHEMA_VERSION; step++) {
    onStep(step + 1, SCHEMA_VERSION);
    database.exec(`BEGIN IMMEDIATE; ${migrations[step]}; PRAGMA user_version = ${step + 1}; COMMIT`);
  }
}

/** The tables that a store of this version must have and that this one lacks. */
export function missingTables(database: DatabaseSync): string[] {
  const whole = new DatabaseSync(":memory:");
  try {
    migrate(whole);
    const known = new Set(tablesOf(database));
    // The first part of the text index goes when its events are gone.
    const missing = tablesOf(whole).filter((name) => !known.has(name) && !/^words(?:_|$)/.test(name));
    if (missing.includes("word_parts")) return missing;
    const parts = readWordParts(database).map(({ name }) => name);
    return [...missing, ...parts.filter((name) => !known.has(name))];
  } finally {
    whole.close();
  }
}

function tablesOf(database: DatabaseSync): string[] {
  return database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name));
}

/** Throws `HL_STORE_NEWER` for a store that a newer Hookline has written. Any other fault is found when the store is opened. */
export function refuseNewerStore(path: string): void {
  const version = readStoreVersion(path);
  if (version !== undefined && version > SCHEMA_VERSION) throw newer(version, path);
}

/** The version of a store file, which may be in use; `undefined` if it cannot be read. */
export function readStoreVersion(path: string): number | undefined {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would remove the log of an empty one.
    if (statSync(path).size === 0) return undefined;
    database = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    return versionOf(database);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

function versionOf(database: DatabaseSync): number {
  return (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

function newer(version: number, path?: string): HookError {
  const what = path === undefined ? "The store" : `The store "${path}"`;
  return new HookError("HL_STORE_NEWER", `${what} has version ${version}, but this Hookline supports versions up to ${SCHEMA_VERSION}.`, {
    fix: { run: findInstallation().update },
  });
}

import { DatabaseSync } from "node:sqlite";
import { makePrivate } from "@hookline/core/internal/machine";
import { migrate } from "./schema.js";

/** The first SQLite without the WAL-reset bug, which could lose committed rows. */
const OLDEST_SQLITE = "3.51.3";

/** Opens the store's file: WAL with full synchronisation, so that committed means on disk. */
export function openDatabase(path: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  // SQLite gives its log the mode of the database.
  if (options.readOnly !== true) makePrivate(path);
  const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5_000 });
  refuseOldSqlite(sqliteVersion(database));
  database.exec("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456");
  if (options.readOnly === true) return database;
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864",
  );
  migrate(database);
  return database;
}

export function sqliteVersion(database: DatabaseSync): string {
  return (database.prepare("SELECT sqlite_version() AS version").get() as { version: string }).version;
}

function refuseOldSqlite(version: string): void {
  if (compareVersions(version, OLDEST_SQLITE) >= 0) return;
  throw new Error(
    `This Node has SQLite ${version}, which can lose committed events; Hookline needs ${OLDEST_SQLITE}. Use Node 22.23 or later.`,
  );
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number)) as [number[], number[]];
  for (let index = 0; index < 3; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

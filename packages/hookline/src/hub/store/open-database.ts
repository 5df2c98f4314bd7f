import { DatabaseSync } from "node:sqlite";
import { makePrivate } from "@hookline/core/internal/machine";
import { copyBefore } from "./copy-before.js";
import { isOutdated, migrate } from "./schema.js";
import { finishRestore, refuseLostDatabase } from "./store-files.js";

/** The first SQLite without the WAL-reset bug, which could lose committed rows. */
const OLDEST_SQLITE = "3.51.3";

/** Before the first table, or before VACUUM: pages that are free can be given back some at a time. */
export const SHRINKABLE = "PRAGMA auto_vacuum = INCREMENTAL";

interface OpenOptions {
  readonly readOnly?: boolean;
  readonly mustExist?: boolean;
  /** Without the file of the index of the log, which needs room on the disk. Other processes cannot read the store then. */
  readonly isAlone?: boolean;
  /** Told of what takes long. */
  readonly onProgress?: (text: string) => void;
}

/** Opens the store's file: WAL with full synchronisation, so that committed means on disk. A copy of an older version is kept beside it. */
export function openDatabase(path: string, options: OpenOptions = {}): DatabaseSync {
  if (options.readOnly !== true) finishRestore(path);
  // Also for readers: SQLite removes the log of an empty database for them, too.
  refuseLostDatabase(path, options.mustExist);
  // SQLite gives its log the mode of the database.
  if (options.readOnly !== true) makePrivate(path);
  const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5_000 });
  let isReady: boolean;
  try {
    isReady = prepare(database, path, options);
  } catch (error) {
    // Left open, it would lock out the next attempt.
    database.close();
    throw error;
  }
  if (isReady) return database;
  // The copy took SQLite's locks from the file: the system takes those of a process when it closes any descriptor of a file.
  database.close();
  return openDatabase(path, options);
}

/** False if the database must be opened again. */
function prepare(database: DatabaseSync, path: string, options: OpenOptions): boolean {
  // Before anything is read.
  if (options.isAlone === true) database.exec("PRAGMA locking_mode = EXCLUSIVE");
  refuseOldSqlite(sqliteVersion(database));
  // No mmap_size: a file that is cut while it is mapped ends the whole process.
  database.exec("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536");
  if (options.readOnly === true) return true;
  // Of a store that is there already it would only write the header.
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() as { readonly page_count: number };
  if (pages === 0) database.exec(SHRINKABLE);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864",
  );
  const { onProgress = () => {} } = options;
  if (!isOutdated(database)) {
    migrate(database);
    return true;
  }
  copyBefore(database, path, onProgress);
  migrate(database, (step, of) => onProgress(`Bringing the store up to date: step ${step} of ${of} …`));
  return false;
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

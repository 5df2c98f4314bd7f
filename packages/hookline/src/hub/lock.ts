import { lstatSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { HookError } from "@hookline/core";
import { forgetLockHolder, noteLockHolder } from "./lock-holder.js";
import { makePrivate } from "./private-file.js";

const SQLITE_BUSY = 5;
/** A look at the lock holds it for a moment, too. */
const PATIENCE_MS = 100;

/**
 * Holds a lock that the system takes back when the process ends, however it ends: an open transaction of an empty SQLite file, for Node
 * has no `flock`. Throws `HL_HUB_RUNNING` when another process holds it.
 */
export function takeLock(path: string): { release(): void } {
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: PATIENCE_MS });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
    throw new HookError("HL_HUB_RUNNING", `Another hub holds "${path}".`, { fix: { run: "hookline status" }, cause });
  }
  held.add(database);
  noteLockHolder(path);
  return {
    release() {
      forgetLockHolder(path);
      held.delete(database);
      database.close();
    },
  };
}

/** Whether another process holds the lock. Not for a process that holds it itself: looking would give it up. */
export function isLocked(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("BEGIN IMMEDIATE");
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return true;
  } finally {
    database.close();
  }
}

/** A database that nobody refers to is closed by the garbage collector, and its lock is gone. */
const held = new Set<DatabaseSync>();

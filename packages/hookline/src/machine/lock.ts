import { lstatSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { HookError } from "@hookline/core";
import { makePrivate } from "@hookline/core/internal/machine";

const SQLITE_BUSY = 5;
/** A check of the lock holds it for a moment, too. */
const SHORT_MS = 100;

export interface LockOptions {
  /** The error when another process holds the lock. */
  readonly busy: (path: string) => HookError;
  /** How long to wait for the other process. Blocks this one. */
  readonly patienceMs?: number;
}

/**
 * Holds a lock that the system takes back when the process ends, however it ends: an open transaction of an empty SQLite file, for Node
 * has no `flock`. Throws what `busy` gives when another process holds it.
 */
export function takeLock(path: string, { busy, patienceMs = SHORT_MS }: LockOptions): { release(): void } {
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: patienceMs });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw isBusy(error) ? busy(path) : error;
  }
  held.add(database);
  noteHolder(path);
  return {
    release() {
      forgetHolder(path);
      held.delete(database);
      database.close();
    },
  };
}

/** Lets one process at a time do something that takes milliseconds. */
export function withLock<T>(path: string, busy: LockOptions["busy"], act: () => T): T {
  const lock = takeLock(path, { busy, patienceMs: 3_000 });
  try {
    return act();
  } finally {
    lock.release();
  }
}

/** Whether another process holds the lock. Not for a process that holds it itself: the check would give it up. */
export function isLocked(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // A journal in a file would need a folder that can be written to.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE");
    return false;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return true;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY;
}

/** A database that nothing refers to is closed by the garbage collector, and its lock is gone. */
const held = new Set<DatabaseSync>();

/** The process that has taken the lock last, to be named to a person. It may be gone, or be in another container. */
export function readLockHolder(lock: string): number | undefined {
  try {
    const pid = Number(readFileSync(holderFile(lock), "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The process that holds the lock now, according to the system: only that one may be sent a signal. Nothing where the holder is in another
 * PID namespace, or the system does not tell. Where there are no such namespaces, the holder's own note is as good.
 */
export function findLockHolder(lock: string): number | undefined {
  const noted = readLockHolder(lock);
  if (process.platform !== "linux") return noted;
  try {
    const { ino } = statSync(lock);
    // "3: POSIX  ADVISORY  WRITE 15807 fe:00:2196178 1073741824 1073742335"; the numbers of processes are those of our own namespace.
    const holders = [...readFileSync("/proc/locks", "utf8").matchAll(/ WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /g)];
    const own = holders.find(([, , inode]) => Number(inode) === ino)?.[1];
    return own !== undefined && Number(own) === noted ? noted : undefined;
  } catch {
    return undefined;
  }
}

/** Beside the lock, whose own file cannot be read while it is held, and must not be: to close it would give the lock up. */
function holderFile(lock: string): string {
  return `${lock}.pid`;
}

// The lock holds even if its holder cannot be noted.
function noteHolder(lock: string): void {
  try {
    writeFileSync(holderFile(lock), `${process.pid}\n`, { mode: 0o600 });
  } catch {}
}

function forgetHolder(lock: string): void {
  try {
    rmSync(holderFile(lock), { force: true });
  } catch {}
}

import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { HookError } from "@hookline/core";

/** `moved`: another file, or none, is where the store was. `damaged`: the file is not whole. */
export interface StoreFault {
  readonly kind: "moved" | "damaged";
  readonly text: string;
}

export interface StoreFiles {
  /** What is wrong with the files, if anything is. Three look-ups of a name: cheap enough before each acknowledgement. */
  moved(): StoreFault | undefined;
  /** Also whether the database was cut. */
  fault(): StoreFault | undefined;
  /** Whether the log was cut. To be asked before each write, which would fill the gap with zeros and hide it. */
  cutLog(): StoreFault | undefined;
  /** Writes what the open database holds back to its name and closes it. Then the store can be opened again. */
  restore(database: DatabaseSync): void;
  /** Only when the database is closed. */
  close(): void;
}

interface WatchOptions {
  /** Whether the database that is open keeps the index of its log in its file. One from before says nothing about the log. */
  readonly hasIndex?: boolean;
}

/**
 * Notices when the files that are open are no longer those that have the store's names: what is written to them then would be gone when the
 * hub ends.
 */
export function watchStoreFiles(path: string, { hasIndex = true }: WatchOptions = {}): StoreFiles {
  // Another process would begin an index of the log of its own in the place of the one that is gone, and the two would not agree.
  const names = [path, `${path}-wal`, `${path}-shm`];
  const opened = names.map(statsOf);
  // Kept open: when a process closes any descriptor of a file, the system takes all its locks of that file, and so those of SQLite. Then another
  // program that closes the store would remove the log.
  const file = openSync(path, "r");
  const index = hasIndex && opened[2] !== undefined ? openSync(names[2] as string, "r") : undefined;
  // A full disk can stop SQLite between the header and the pages that it promises, which the log still has. Only a file that was larger, or
  // that has no log, was cut.
  let largest = (opened[1]?.size ?? 0) === 0 ? Number.POSITIVE_INFINITY : 0;

  function cut(): StoreFault | undefined {
    const { size } = statSync(path);
    const fault = size < largest ? cutOf(path, file) : undefined;
    largest = fault === undefined ? size : largest;
    return fault;
  }

  function moved(): StoreFault | undefined {
    for (const [index, name] of names.entries()) {
      const now = statsOf(name);
      if (isSame(now, opened[index])) continue;
      const what = now === undefined ? "was removed" : "was replaced by another file";
      return { kind: "moved", text: `"${name}" ${what} while the hub was running` };
    }
    return undefined;
  }

  return {
    moved,
    fault() {
      try {
        return moved() ?? cut();
      } catch (error) {
        // Removed between two looks, or not readable.
        return moved() ?? { kind: "damaged", text: (error as Error).message };
      }
    },
    cutLog() {
      const log = statsOf(names[1] as string);
      // Another file in its place is a fault of its own.
      if (index === undefined || log === undefined || !isSame(log, opened[1])) return undefined;
      const bytes = logBytes(index);
      return log.size >= bytes ? undefined : { kind: "damaged", text: `"${names[1]}" was cut: it has ${log.size} bytes of ${bytes}` };
    },
    restore(database) {
      const half = `${path}.restoring`;
      rmSync(half, { force: true });
      database.prepare("VACUUM INTO ?").run(half);
      offerRestored(half, path);
      finishRestore(path, opened[0]);
      // Last: a step that fails can then be tried again.
      database.close();
    },
    close() {
      for (const one of [file, index]) if (one !== undefined) closeSync(one);
    },
  };
}

/** `made` is whole and becomes the store: whatever ends this process, the next one that opens the store puts it in its place. */
export function offerRestored(made: string, path: string): void {
  sync(made);
  renameSync(made, restoredName(path));
  sync(dirname(path));
}

/**
 * Puts a store that was written again in its place, also one that a hub which was killed left beside it: that copy is whole, and what else has the
 * store's name by now is not the store. `same`: the file that the hub had open.
 */
export function finishRestore(path: string, same?: Stats): void {
  if (!isRestored(path)) return;
  if (existsSync(path) && !isSame(statsOf(path), same)) renameSync(path, foreignName(path));
  // A log of the old file would be applied to the new one.
  for (const name of [`${path}-wal`, `${path}-shm`]) rmSync(name, { force: true });
  renameSync(restoredName(path), path);
  sync(dirname(path));
}

/**
 * Refuses a log without its database: SQLite would begin an empty store and remove the log, with acknowledged events in it. `mustExist`: the
 * database was there a moment ago.
 */
export function refuseLostDatabase(path: string, mustExist = false): void {
  if (isRestored(path))
    throw new HookError("HL_STORE_DAMAGED", `The store "${path}" was being written again when its hub ended.`, {
      fix: { run: "hookline up" },
    });
  const [database, log] = [statsOf(path), statsOf(`${path}-wal`)];
  if ((database?.size ?? 0) > 0) return;
  const what = database === undefined ? "is missing" : "is empty";
  if ((log?.size ?? 0) > 0) throw lostError(`The store "${path}" ${what}, but its log "${path}-wal" has events.`);
  if (mustExist) throw lostError(`The store "${path}" ${what}, but the hub has stored events in it.`);
}

function lostError(message: string): HookError {
  return new HookError("HL_STORE_DAMAGED", message, { fix: { run: "hookline doctor --repair" } });
}

function statsOf(name: string): Stats | undefined {
  return statSync(name, { throwIfNoEntry: false });
}

function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  return a?.ino === b?.ino && a?.dev === b?.dev;
}

const HEADER_BYTES = 32;
const MAGIC = "SQLite format 3\0";

/** The database says in its header how many pages it has. */
function cutOf(path: string, file: number): StoreFault | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC)
    return { kind: "damaged", text: `"${path}" is not a database any more` };
  // 1 stands for 65,536.
  const written = header.readUInt16BE(16);
  const bytes = (written === 1 ? 65_536 : written) * header.readUInt32BE(28);
  const { size } = statSync(path);
  return size >= bytes ? undefined : { kind: "damaged", text: `"${path}" was cut: it has ${size} bytes of ${bytes}` };
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** How long the log is at least, as its index says: SQLite's WalIndexHdr, in the machine's order of bytes. 0 if it does not say. */
function logBytes(index: number): number {
  const words = new Uint32Array(5);
  if (readSync(index, words, 0, words.byteLength, 0) < words.byteLength) return 0;
  const frames = words[4] as number;
  const pageSize = new Uint16Array(words.buffer)[7] as number;
  // 1 stands for 65,536.
  return frames === 0 ? 0 : LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + (pageSize === 1 ? 65_536 : pageSize));
}

/** Whether the store was written again and is not in its place yet. */
export function isRestored(path: string): boolean {
  return existsSync(restoredName(path));
}

function restoredName(path: string): string {
  return `${path}.restored`;
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function foreignName(path: string): string {
  return `${path}.foreign-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
}

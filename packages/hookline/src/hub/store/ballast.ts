import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const CHUNK = Buffer.alloc(256 * 1024, "hookline ballast\n");

export interface Ballast {
  /** Gives the room back, and says whether there was any to give. */
  release(): boolean;
  /** The same, if there is hardly any other room. */
  releaseIfNeeded(): boolean;
  /** Takes the room again, if there is plenty. */
  restore(): void;
}

/**
 * A file that takes up room only to give it back. On a full disk SQLite can neither checkpoint nor delete, and would stay stuck when a
 * little room comes back; what the ballast frees is enough to go on with. Never throws: it is called where a disk has just failed.
 */
export function createBallast(path: string, bytes: number): Ballast {
  let isHeld = false;

  function release(): boolean {
    const wasHeld = isHeld;
    isHeld = false;
    return remove(path) && wasHeld;
  }

  function restore(): void {
    if (isHeld || bytes === 0) return;
    if (sizeOf(path) === bytes) isHeld = true;
    else if (freeBytes(path) > bytes * 4) isHeld = fill();
  }

  function fill(): boolean {
    try {
      const fd = openSync(path, "w", 0o600);
      try {
        for (let written = 0; written < bytes; ) written += writeSync(fd, CHUNK, 0, Math.min(CHUNK.length, bytes - written));
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      return true;
    } catch {
      remove(path);
      return false;
    }
  }

  restore();
  return { release, releaseIfNeeded: () => freeBytes(path) < bytes / 4 && release(), restore };
}

function remove(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch {
    return undefined;
  }
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return 0;
  }
}

import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, renameSync, type Stats, statSync, writeSync } from "node:fs";
import { type OpenFile, openToAppend } from "./open-file.js";

/** A file that several processes append whole lines to, and any of them may move away. All calls are synchronous. */
export class SharedFile {
  readonly path: string;
  #file: OpenFile;

  constructor(path: string) {
    this.path = path;
    this.#file = openToAppend(path);
  }

  /** The file that is at its path now, also one that another process made. */
  refresh(): Stats {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (now !== undefined && isSame(now, this.#file.stat)) return now;
    const next = openToAppend(this.path);
    closeSync(this.#file.fd);
    this.#file = next;
    return next.stat;
  }

  /**
   * Appends in one write, which the kernel keeps apart from those of other processes. Throws when not all of it could be written; then
   * none of it stays.
   */
  append(bytes: Buffer): void {
    for (;;) {
      const written = writeSync(this.#file.fd, bytes);
      if (written < bytes.length) this.#takeBack(bytes.subarray(0, written));
      // Moved away and deleted (or compressed) meanwhile: what was written is gone with it.
      if (fstatSync(this.#file.fd).nlink > 0) return;
      this.refresh();
    }
  }

  sync(): void {
    fsyncSync(this.#file.fd);
  }

  /** Moves the file away, unless another process has just done so. */
  moveTo(path: string): boolean {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (now === undefined || !isSame(now, this.#file.stat)) return false;
    try {
      renameSync(this.path, path);
      return true;
    } catch (error) {
      // Between the look and the move.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  close(): void {
    closeSync(this.#file.fd);
  }

  #takeBack(part: Buffer): never {
    const { fd } = this.#file;
    const { size } = fstatSync(fd);
    const tail = Buffer.alloc(part.length);
    const count = readSync(fd, tail, 0, tail.length, size - part.length);
    // Only if no other process has written after it: its whole line matters more than our half line.
    if (count === part.length && tail.equals(part)) ftruncateSync(fd, size - part.length);
    throw Object.assign(new Error("no space left for the whole of it"), { code: "ENOSPC" });
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { messageOf } from "../../bus/describe-error.js";
import { HookError } from "../../catalog/errors.js";

/** A file that grows by whole lines. Writes are synchronous: what was appended survives `process.exit`. */
export class LineFile {
  readonly path: string;
  readonly #fd: number;
  /** Where the last whole line ends. */
  #size: number;
  #isTorn = false;

  /** Opens a file, or makes one that only its owner can read. Throws `HL_TRANSCRIPT_IO`. */
  constructor(path: string) {
    this.path = path;
    this.#fd = attempt(path, "opened", () => openSync(path, "a+", 0o600));
    const stat = fstatSync(this.#fd);
    this.#size = stat.size;
    if (stat.isFile()) return;
    closeSync(this.#fd);
    throw new HookError("HL_TRANSCRIPT_IO", `The transcript "${path}" is not a regular file. Use \`write\` for anything else.`);
  }

  get size(): number {
    return this.#size;
  }

  /** Throws `HL_TRANSCRIPT_IO` when the line, or a part of it, cannot be written; no part of it stays. */
  append(line: string): void {
    attempt(this.path, "written", () => {
      if (this.#isTorn) this.cut(this.#size);
      this.#checkAlone();
      this.#writeAll(Buffer.from(`${line}\n`));
    });
  }

  /** Drops everything after the first `size` bytes. */
  cut(size: number): void {
    ftruncateSync(this.#fd, size);
    this.#size = size;
    this.#isTorn = false;
  }

  read(start: number, end: number): Buffer {
    const bytes = Buffer.alloc(end - start);
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(this.#fd, bytes, done, bytes.length - done, start + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  }

  close(): void {
    try {
      fsyncSync(this.#fd);
    } finally {
      closeSync(this.#fd);
    }
  }

  // Two writers would fork the chain, and what goes into a deleted file is lost without an error.
  #checkAlone(): void {
    const { size, nlink } = fstatSync(this.#fd);
    if (nlink === 0) throw new Error("it was deleted");
    if (size !== this.#size) throw new Error("another program has changed it");
  }

  #writeAll(bytes: Buffer): void {
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(this.#fd, bytes, done);
    } catch (error) {
      this.#isTorn = done > 0;
      if (this.#isTorn) this.cut(this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }
}

function attempt<T>(path: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new HookError("HL_TRANSCRIPT_IO", `The transcript "${path}" cannot be ${what}: ${messageOf(cause)}.`, { cause });
  }
}

import { closeSync, constants, fchmodSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** A file of the spool that this process appends to, and that goes when all of it is settled. */
export class Segment {
  readonly path: string;
  /** Bytes of whole lines. */
  size = 0;
  /** Lines that are not settled yet. */
  left = 0;
  /** Nothing more is written to it. */
  isSealed = false;
  #fd: number | undefined;

  constructor(spool: string, name: string) {
    this.path = join(spool, `${name}.live`);
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
    this.#fd = openSync(this.path, flags, 0o600);
    fchmodSync(this.#fd, 0o600);
  }

  /** Writes a line, or several at once, whole or not at all; throws what the disk says. */
  append(line: Buffer): void {
    const fd = this.#fd as number;
    try {
      for (let written = 0; written < line.length; ) written += writeSync(fd, line, written);
    } catch (error) {
      this.#takeBack(fd);
      throw error;
    }
    this.size += line.length;
    this.left++;
  }

  /** Fills the buffer from an offset; gives how much there was. */
  read(buffer: Buffer, offset: number): number {
    const fd = this.#fd ?? openSync(this.path, constants.O_RDONLY | NO_FOLLOW);
    try {
      return readSync(fd, buffer, 0, Math.min(buffer.length, this.size - offset), offset);
    } finally {
      if (fd !== this.#fd) closeSync(fd);
    }
  }

  seal(): void {
    this.isSealed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** All of it is settled, and more will come. */
  empty(): void {
    ftruncateSync(this.#fd as number, 0);
    this.size = 0;
  }

  remove(): void {
    this.seal();
    rmSync(this.path, { force: true });
  }

  /** Leaves it to the hub, which may collect it from now on. */
  handOver(): void {
    this.seal();
    renameSync(this.path, this.path.replace(/\.live$/, ".ndjson"));
  }

  #takeBack(fd: number): void {
    try {
      ftruncateSync(fd, this.size);
    } catch {
      // Half a line at the end, which readers pass over; nothing may follow it.
      this.seal();
    }
  }
}

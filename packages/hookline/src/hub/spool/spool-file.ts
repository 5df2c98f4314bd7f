import { closeSync, constants, fstatSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LineReader, MAX_LINE_BYTES } from "@hookline/core/internal/wire";

/** `<instance>.<n>.<writer>.ndjson` is finished. A `.live` one belongs to its writer for as long as that lives. */
const NAME = /^([\w-]{1,64}\.\d{1,10}\.([\w-]{1,64}))\.(ndjson|live)$/;
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
const TAIL_BYTES = 64;

export interface SpoolFile {
  readonly path: string;
  /** The same whether it is finished or not. */
  readonly stem: string;
  readonly writer: string;
  readonly isFinished: boolean;
}

/** What a name in the spool means; nothing for a name that no process gives. */
export function spoolFileNamed(folder: string, name: string): SpoolFile | undefined {
  const [, stem, writer, kind] = NAME.exec(name) ?? [];
  if (stem === undefined || writer === undefined) return undefined;
  return { path: join(folder, name), stem, writer, isFinished: kind === "ndjson" };
}

/** The files of one process by their numbers, the tenth after the ninth: what was emitted first is stored first. */
export function compareNames(left: string, right: string): number {
  return left.localeCompare(right, "en", { numeric: true });
}

/** How far a file has been read. What stood before that place shows whether it still is the same text: a writer may empty its file. */
export interface SinkPosition {
  readonly offset: number;
  readonly tail: Buffer;
}

export interface SpoolPart {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
}

/**
 * The whole lines of a spool file from a bookmark on, some at a time; returns the next bookmark. Half a line at the end is not an event:
 * its writer is still writing it, or was killed.
 */
export function* readSpool(path: string, from?: SinkPosition): Generator<SpoolPart, SinkPosition> {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || (process.geteuid !== undefined && stats.uid !== process.geteuid()))
      throw new Error("it is not a file of this user");
    let lines: string[] = [];
    let faults: string[] = [];
    const reader = new LineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: (line) => void lines.push(line),
      onFault: (fault) => void faults.push(fault),
    });
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let offset = from !== undefined && tailBefore(fd, from.offset).equals(from.tail) ? from.offset : 0;
    for (let place = offset, read = -1; read !== 0; place += read) {
      read = readSync(fd, chunk, 0, chunk.length, place);
      const part = chunk.subarray(0, read);
      reader.push(part);
      const end = part.lastIndexOf(NEWLINE);
      if (end < 0) continue;
      offset = place + end + 1;
      yield { lines, faults };
      [lines, faults] = [[], []];
    }
    return { offset, tail: tailBefore(fd, offset) };
  } finally {
    closeSync(fd);
  }
}

function tailBefore(fd: number, offset: number): Buffer {
  const start = Math.max(0, offset - TAIL_BYTES);
  const tail = Buffer.alloc(offset - start);
  return tail.subarray(0, readSync(fd, tail, 0, tail.length, start));
}

/** Lines that can never be stored are kept in a second file for inspection. It is overwritten when the file is read again from its start. */
export function keepBad({ path }: SpoolFile, lines: readonly string[], isFirst: boolean): void {
  const bad = path.replace(/\.live$/, ".ndjson");
  if (lines.length > 0) writeFileSync(`${bad}.bad`, `${lines.join("\n")}\n`, { mode: 0o600, flag: isFirst ? "w" : "a" });
}

export function removeSpool(path: string): void {
  rmSync(path, { force: true });
}

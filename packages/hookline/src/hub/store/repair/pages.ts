import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

/** The pages of a database file under the committed pages of its log, read without SQLite: what SQLite refuses may still hold rows. */
export interface Pages {
  readonly pageSize: number;
  /** The bytes of a page that hold content. */
  readonly usable: number;
  readonly count: number;
  /** How many there were, by what the file says of itself. */
  readonly promised: number;
  /** Undefined for a page that is not there, or not whole. */
  read(number: number): Buffer | undefined;
  close(): void;
}

const MAGIC = "SQLite format 3\0";
const DEFAULT_PAGE = 4_096;
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const LOG_MAGIC = 0x377f0682;

/** Of a store that may have a log only. */
export function openPages(path: string): Pages {
  const database = openFile(path);
  const log = openFile(`${path}-wal`);
  const header = read(database, 0, 100);
  const { pageSize: logPage, frames } = readLog(log);
  const pageSize = pageSizeOf(header) ?? logPage ?? DEFAULT_PAGE;
  const inFile = Math.floor(sizeOf(database) / pageSize);
  const reserved = header?.toString("latin1", 0, MAGIC.length) === MAGIC ? (header[20] as number) : 0;
  const count = [...frames.keys()].reduce((most, page) => Math.max(most, page), inFile);
  return {
    pageSize,
    usable: pageSize - reserved,
    count,
    promised: Math.max(count, header?.readUInt32BE(28) ?? 0),
    read(number) {
      const offset = logPage === pageSize ? frames.get(number) : undefined;
      return offset === undefined ? read(database, (number - 1) * pageSize, pageSize) : read(log, offset, pageSize);
    },
    close() {
      for (const file of [database, log]) if (file !== undefined) closeSync(file);
    },
  };
}

/** Where the log has the newest committed copy of each page. Its own checksums are not asked: rows have theirs. */
function readLog(log: number | undefined): { readonly pageSize: number | undefined; readonly frames: Map<number, number> } {
  const header = read(log, 0, LOG_HEADER);
  if (header === undefined || header.readUInt32BE(0) >>> 1 !== LOG_MAGIC >>> 1) return { pageSize: undefined, frames: new Map() };
  const pageSize = header.readUInt32BE(8);
  const salt = header.subarray(16, 24);
  const frames = new Map<number, number>();
  let open: (readonly [page: number, offset: number])[] = [];
  for (let at = LOG_HEADER; ; at += FRAME_HEADER + pageSize) {
    const frame = read(log, at, FRAME_HEADER);
    // Frames of another salt are left over from before the log was used again.
    if (frame === undefined || !frame.subarray(8, 16).equals(salt)) break;
    open.push([frame.readUInt32BE(0), at + FRAME_HEADER]);
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [page, offset] of open) frames.set(page, offset);
    open = [];
  }
  return { pageSize, frames };
}

function pageSizeOf(header: Buffer | undefined): number | undefined {
  if (header === undefined) return undefined;
  // 1 stands for 65,536.
  const written = header.readUInt16BE(16);
  const size = written === 1 ? 65_536 : written;
  return size >= 512 && (size & (size - 1)) === 0 ? size : undefined;
}

function openFile(path: string): number | undefined {
  return existsSync(path) ? openSync(path, "r") : undefined;
}

function sizeOf(file: number | undefined): number {
  return file === undefined ? 0 : fstatSync(file).size;
}

function read(file: number | undefined, at: number, bytes: number): Buffer | undefined {
  if (file === undefined) return undefined;
  const buffer = Buffer.allocUnsafe(bytes);
  return readSync(file, buffer, 0, bytes, at) === bytes ? buffer : undefined;
}

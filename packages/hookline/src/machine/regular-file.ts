import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";

/** The most that a file of settings may have. Larger ones would hold up the process that reads them. */
export const MAX_SETTINGS_BYTES = 1_024 ** 2;

/** Why a file is not read. */
export interface FileFault {
  readonly fault: string;
  /** This user may not read it. */
  readonly isDenied: boolean;
}

interface RegularFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

const NOT_A_FILE: FileFault = { fault: "This is not a regular file.", isDenied: false };
const DENIED: readonly unknown[] = ["EACCES", "EPERM"];

/**
 * Reads a file without ever waiting: a pipe or a device in the place of a file would block the whole process, or never end. Undefined if there is no
 * file.
 */
export function readRegularFile(path: string, maxBytes = MAX_SETTINGS_BYTES): RegularFile | FileFault | undefined {
  return readOpen(path, (fd, stats) => {
    if (stats.size > maxBytes) return { fault: `The file has ${stats.size} bytes. The limit is ${maxBytes}.`, isDenied: false };
    const bytes = readBytes(fd, maxBytes + 1);
    return bytes.length > maxBytes ? { fault: `The file has more than ${maxBytes} bytes.`, isDenied: false } : { bytes, stats };
  });
}

/** The beginning of a file of any size, read in the same way. */
export function readFileStart(path: string, most: number): RegularFile | FileFault | undefined {
  return readOpen(path, (fd, stats) => ({ bytes: readBytes(fd, most), stats }));
}

function readOpen(path: string, read: (fd: number, stats: Stats) => RegularFile | FileFault): RegularFile | FileFault | undefined {
  let fd: number | undefined;
  try {
    // To open a device can already have an effect.
    if (!statSync(path).isFile()) return NOT_A_FILE;
    // Another program can replace the file in between.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    return stats.isFile() ? read(fd, stats) : NOT_A_FILE;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { fault: `The file cannot be read: ${message}.`, isDenied: DENIED.includes(code) };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The beginning of an open file. The size that a file states is not always its length. */
function readBytes(fd: number, most: number): Buffer {
  const parts: Buffer[] = [];
  for (let length = 0; length < most; ) {
    const part = Buffer.allocUnsafe(Math.min(65_536, most - length));
    const count = readSync(fd, part);
    if (count === 0) break;
    parts.push(part.subarray(0, count));
    length += count;
  }
  return Buffer.concat(parts);
}

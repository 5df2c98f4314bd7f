import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findFolderFault, isOwn, openFolder, replacePrivately } from "@hookline/core/discover";

const OTHERS = 0o077;
const MAX_BYTES = 4 * 1024 * 1024;

/** What a file of the state folder says; nothing if it is missing, no JSON, or others could have written it. Never throws. */
export function readPrivateJson(folder: string, name: string): unknown {
  let fd: number | undefined;
  try {
    if (findFolderFault(folder) !== undefined) return undefined;
    fd = openSync(join(folder, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    const isOpen = process.platform !== "win32" && (stats.mode & OTHERS) !== 0;
    if (!stats.isFile() || !isOwn(stats) || isOpen || stats.size > MAX_BYTES) return undefined;
    return JSON.parse(readFileSync(fd, "utf8"));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whole or not at all, and never readable by others. */
export function writePrivateJson(folder: string, name: string, value: unknown): void {
  replacePrivately(openFolder(folder), name, `${JSON.stringify(value)}\n`);
}

import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import { basename, dirname, isAbsolute, join, posix, relative, resolve } from "node:path";
import { HookError } from "@hookline/core";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;

export interface FolderLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly maxDepth: number;
}

const folderLimits: FolderLimits = { maxFiles: 2_000, maxBytes: 32 * 1_048_576, maxDepth: 32 };

/** An entry of a hook's folder; its path is relative to the folder, with `/` between the parts. */
export type FolderEntry =
  | { readonly kind: "folder"; readonly name: string }
  | { readonly kind: "file"; readonly name: string; readonly isExecutable: boolean; readonly content: Buffer }
  | { readonly kind: "link"; readonly name: string; readonly target: string };

/**
 * Reads everything in a folder, sorted by name. Links are not followed: a file that becomes a link between the check and the opening is
 * refused. Throws `HL_TRUST_FOLDER` for an entry that cannot be pinned.
 */
export function readFolder(folder: string, limits: FolderLimits = folderLimits): readonly FolderEntry[] {
  const reading: Reading = { root: resolve(folder), limits, entries: [], bytes: 0 };
  try {
    readInto(reading, "", 0);
  } catch (error) {
    if (error instanceof HookError) throw error;
    throw unfit(reading, `cannot be read: ${(error as Error).message}`, error);
  }
  return reading.entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The same for a single file. */
export function readAlone(path: string, limits: FolderLimits = folderLimits): readonly FolderEntry[] {
  const reading: Reading = { root: resolve(dirname(path)), limits, entries: [], bytes: 0 };
  const name = basename(path);
  try {
    return [{ kind: "file", name, ...readFile(reading, name) }];
  } catch (error) {
    throw error instanceof HookError ? error : unfit(reading, `holds a "${name}" that cannot be read: ${(error as Error).message}`, error);
  }
}

interface Reading {
  readonly root: string;
  readonly limits: FolderLimits;
  readonly entries: FolderEntry[];
  bytes: number;
}

function readInto(reading: Reading, folder: string, depth: number): void {
  if (depth > reading.limits.maxDepth) throw unfit(reading, `is nested deeper than ${reading.limits.maxDepth} folders`);
  for (const part of namesOf(join(reading.root, folder))) {
    if (reading.entries.length >= reading.limits.maxFiles) throw unfit(reading, `holds more than ${reading.limits.maxFiles} files`);
    readOne(reading, folder === "" ? part : `${folder}/${part}`, depth);
  }
}

/** The folder stays open while it is listed, so that it cannot be replaced by a link. */
function namesOf(path: string): string[] {
  const fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | DIRECTORY | NO_WAIT);
  try {
    const names = readdirSync(path).sort();
    const [held, now] = [fstatSync(fd), lstatSync(path)];
    if (held.ino !== now.ino || held.dev !== now.dev) throw new Error("it was replaced while it was read");
    return names;
  } finally {
    closeSync(fd);
  }
}

function readOne(reading: Reading, name: string, depth: number): void {
  const path = join(reading.root, name);
  const stats = lstatSync(path);
  if (stats.isDirectory()) {
    reading.entries.push({ kind: "folder", name });
    return readInto(reading, name, depth + 1);
  }
  if (stats.isSymbolicLink()) return void reading.entries.push(readLink(reading, name));
  if (!stats.isFile()) throw unfit(reading, `holds "${name}", which is neither a file nor a folder`);
  const { content, isExecutable } = readFile(reading, name);
  reading.bytes += content.length;
  reading.entries.push({ kind: "file", name, isExecutable, content });
}

function readLink(reading: Reading, name: string): FolderEntry {
  const target = readlinkSync(join(reading.root, name));
  const leadsTo = relative(reading.root, resolve(dirname(join(reading.root, name)), target));
  // A ".." after a name is resolved from that name's target, if it is a link itself.
  const isPlain = !isAbsolute(target) && posix.normalize(target) === target;
  if (!isPlain || leadsTo.startsWith(".."))
    throw unfit(reading, `holds the link "${name}", which leads out of the folder or through another link: "${target}"`);
  return { kind: "link", name, target };
}

function readFile(reading: Reading, name: string): { readonly content: Buffer; readonly isExecutable: boolean } {
  const fd = openSync(join(reading.root, name), constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw unfit(reading, `holds "${name}", which is no longer a file`);
    const room = reading.limits.maxBytes - reading.bytes;
    if (stats.size > room) throw unfit(reading, `holds more than ${reading.limits.maxBytes} bytes`);
    const content = readWhole(fd, stats.size);
    if (content.length !== stats.size) throw unfit(reading, `changes while it is read: "${name}"`);
    return { content, isExecutable: (stats.mode & 0o111) !== 0 };
  } finally {
    closeSync(fd);
  }
}

/** One byte more than the size, to notice growth. */
function readWhole(fd: number, size: number): Buffer {
  const buffer = Buffer.alloc(size + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(fd, buffer, length, buffer.length - length, null);
  return buffer.subarray(0, length);
}

function unfit({ root }: Reading, what: string, cause?: unknown): HookError {
  return new HookError("HL_TRUST_FOLDER", `The hook folder "${root}" ${what}, so it cannot be trusted.`, {
    failure: "untrusted",
    ...(cause !== undefined && { cause }),
  });
}

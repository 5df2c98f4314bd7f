import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { quietly } from "../catalog/errors.js";
import { isManagedConfig, managedAt } from "./managed.js";
import { findFolderFault, isOfHub, isOwn, makeFolders, openFolder, type TrustFault } from "./state-folder.js";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const WORLD_WRITE = 0o002;
/** In the managed hub's folder, a group may read a file. */
const OTHERS_OF_GROUP = 0o027;
const MAX_BYTES = 65_536;
const MAX_JSON_BYTES = 4 * 1024 * 1024;
/** Writing takes milliseconds. A writer that was stopped for longer finds its file removed, and reports that. */
const ABANDONED_MS = 60_000;

/** The content of a private file. `foreign`: other users can read or change it. `broken`: it cannot be read. */
export type PrivateRead = { readonly state: "found"; readonly bytes: Buffer } | { readonly state: "none" } | Untrusted;

export type Untrusted = TrustFault & { readonly state: "foreign" | "broken" };

/**
 * Puts a file into a folder, whole or not at all, and never readable by other users. It is on the disk before it has its name. In the managed
 * hub's folder a group may read it: those who may ask, or the `operators`. In `/etc/hookline` everyone may.
 */
export function replacePrivately(
  folder: string,
  name: string,
  text: string,
  { to = "group" }: { readonly to?: "group" | "operators" } = {},
): void {
  const managed = managedAt(folder);
  sweep(folder, name);
  const path = join(folder, name);
  if (isManagedConfig(folder)) replaceFile(path, text, { mode: 0o644 });
  else replaceFile(path, text, managed === undefined ? { mode: 0o600 } : { mode: 0o640, group: managed[to] });
  for (const listener of writeListeners) listener(path, text);
}

type WriteListener = (path: string, text: string) => void;
const writeListeners = new Set<WriteListener>();

/** Reports what this process puts into private files, so that changes by other programs can be told apart. Returns how to stop. */
export function followPrivateWrites(listener: WriteListener): () => void {
  writeListeners.add(listener);
  return () => void writeListeners.delete(listener);
}

/**
 * Puts a text in the place of a file, whole or not at all. `like`: the file that it replaces, whose owner and mode it keeps. `mode`: its mode,
 * whatever the umask and `like` say. Without either it is private. `group`: the number of its group.
 */
export function replaceFile(
  path: string,
  text: string,
  { mode, like, group }: { readonly mode?: number; readonly like?: Stats | undefined; readonly group?: number },
): void {
  const temporary = temporaryFor(dirname(path), basename(path));
  try {
    writeNew(temporary, text, { mode, like, group });
    renameSync(temporary, path);
  } catch (error) {
    quietly(() => rmSync(temporary, { force: true }));
    throw error;
  }
}

/** Reads a file that only this user can have written. It follows no link, waits for no pipe and never throws, and no reason quotes the file. */
export function readPrivately(folder: string, name: string, { maxBytes = MAX_BYTES } = {}): PrivateRead {
  let fd: number | undefined;
  try {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { state: "none" };
    const fault = findFolderFault(folder);
    if (fault !== undefined)
      return { state: "foreign", reason: `the folder "${folder}" is not to be trusted: ${fault.reason}`, fix: fault.fix };
    if (stats.isSymbolicLink()) return { state: "foreign", reason: "it is a symbolic link" };
    fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
    return readFrom(fd, path, maxBytes);
  } catch (error) {
    return stateOfError(error as NodeJS.ErrnoException);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The JSON of a file in the state folder; `undefined` if it is missing, is not JSON, or other users could have written it. Never throws. */
export function readPrivateJson(folder: string, name: string): unknown {
  const read = readPrivately(folder, name, { maxBytes: MAX_JSON_BYTES });
  if (read.state !== "found") return undefined;
  try {
    return JSON.parse(read.bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Writes a file whole or not at all, and never readable by other users. Throws `HL_STATE_FOLDER` for a folder that other users can access. */
export function writePrivateJson(folder: string, name: string, value: unknown): void {
  replacePrivately(openFolder(folder), name, `${JSON.stringify(value)}\n`);
}

/** Opens a file that only its owner can read; `O_CREAT` makes its folder too. Throws what the system says, and for a file of another user. */
export function openPrivate(path: string, flags: number): number {
  const opened = openRegular(path, flags);
  if (opened === undefined) throw new Error("it is not a regular file");
  const { fd, stats } = opened;
  try {
    if (process.platform === "win32") return fd;
    if (!isOwnOrRoot(stats)) throw new Error("it belongs to another user");
    if ((stats.mode & OTHERS) !== 0) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Opens a regular file; `O_CREAT` makes it and its folders for their owner alone. `undefined` for anything else, such as a pipe, for whose other
 * end it does not wait. Throws what the system says: `ELOOP` for a link, because a planted link must not lead what we write somewhere else.
 */
export function openRegular(path: string, flags: number): { readonly fd: number; readonly stats: Stats } | undefined {
  if ((flags & constants.O_CREAT) !== 0) makeFolders(dirname(resolve(path)));
  const fd = openSync(path, flags | NO_FOLLOW | (constants.O_NONBLOCK ?? 0), 0o600);
  const stats = fstatSync(fd);
  if (stats.isFile()) return { fd, stats };
  closeSync(fd);
  return undefined;
}

/** Makes a file that only its owner can access, before another program makes it with the mode of the umask. An existing file keeps its content. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // The file is not opened: when a process closes any descriptor of a file, it loses all its locks on it.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true && (stats.mode & OTHERS) !== 0 && process.platform !== "win32") chmodSync(path, 0o600);
  }
}

/** Why other users could replace this file; `undefined` if they cannot, and for a folder that does not exist. */
export function findPlaceFault(path: string): string | undefined {
  const folder = dirname(resolve(path));
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || process.platform === "win32") return undefined;
  if ((stats.mode & WORLD_WRITE) !== 0) return `everyone can write to its folder "${folder}"`;
  return isOwnOrRoot(stats) ? undefined : `its folder "${folder}" belongs to another user`;
}

function isOwnOrRoot(stats: Stats): boolean {
  return stats.uid === 0 || isOwn(stats);
}

/** Removes a file if `isOurs` still recognizes it, and says whether it did. Never throws, because it is called when the process exits. */
export function removePrivately(folder: string, name: string, isOurs: (name: string) => boolean): boolean {
  if (!isOurs(name)) return false;
  const path = join(folder, name);
  const aside = temporaryFor(folder, name);
  const isAside = quietly(() => renameSync(path, aside) === undefined) === true;
  if (!isAside) return false;
  // A file that was written between the check and the rename is put back, unless there is a newer one by now.
  const wasOurs = isOurs(basename(aside));
  if (!wasOurs) quietly(() => linkSync(aside, path));
  quietly(() => rmSync(aside, { force: true }));
  return wasOurs;
}

/** Files that a killed process left while it wrote one of these names. */
export function abandonedIn(folder: string, names: readonly string[]): string[] {
  return readdirSync(folder).filter((found) => {
    const [, name = ""] = /^\.(.+)\.[0-9a-f]{16}$/.exec(found) ?? [];
    return names.includes(name) && isAbandoned(join(folder, found));
  });
}

/** A name beside the file that no other process uses. */
function temporaryFor(folder: string, name: string): string {
  return join(folder, `.${name}.${randomBytes(8).toString("hex")}`);
}

function writeNew(
  path: string,
  text: string,
  { mode, like, group }: { readonly mode: number | undefined; readonly like: Stats | undefined; readonly group: number | undefined },
): void {
  const exact = mode ?? (like === undefined ? undefined : like.mode & 0o7777);
  // Until it has its owner and its mode, no other user can read it. A new one stays private, whatever the umask.
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o600);
  try {
    writeFileSync(fd, text);
    // A user who has left the file's group cannot give it to the group.
    if (like !== undefined) quietly(() => fchownSync(fd, like.uid, like.gid));
    if (group !== undefined) fchownSync(fd, fstatSync(fd).uid, group);
    if (exact !== undefined) fchmodSync(fd, exact);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The file that a killed process left may hold a token. */
function sweep(folder: string, name: string): void {
  quietly(() => {
    for (const found of abandonedIn(folder, [name])) rmSync(join(folder, found), { force: true });
  });
}

// Judged by its age. A process number is not enough: in another container the same number is another process.
function isAbandoned(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS;
}

function readFrom(fd: number, path: string, maxBytes: number): PrivateRead {
  const stats = fstatSync(fd);
  if (!stats.isFile()) return { state: "broken", reason: "it is not a regular file" };
  const folder = dirname(path);
  if (!isOfHub(folder, stats)) return { state: "foreign", reason: `it belongs to user ${stats.uid}` };
  const mask = isManagedConfig(folder) ? OTHERS_WRITE : managedAt(folder) === undefined ? OTHERS : OTHERS_OF_GROUP;
  if (process.platform !== "win32" && (stats.mode & mask) !== 0)
    return { state: "foreign", reason: "other users can access it", fix: { run: `chmod 600 '${path}'` } };
  // One byte more than allowed, because the file may have grown since.
  const buffer = Buffer.alloc(Math.min(maxBytes, stats.size) + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(fd, buffer, length, buffer.length - length, null);
  if (length > maxBytes) return { state: "broken", reason: `it is larger than ${maxBytes} bytes` };
  return { state: "found", bytes: buffer.subarray(0, length) };
}

function stateOfError({ code }: NodeJS.ErrnoException): PrivateRead {
  if (code === "ENOENT") return { state: "none" };
  if (code === "ELOOP") return { state: "foreign", reason: "it is a symbolic link" };
  if (code === "EACCES" || code === "EPERM")
    return { state: "foreign", reason: `this user may not read it (${code})`, fix: "Set XDG_STATE_HOME to a folder of your own." };
  return { state: "broken", reason: `it cannot be read (${code ?? "unknown error"})` };
}

import { chmodSync, lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Fix, HookError } from "@hookline/core";
import { findRootFault, isOwn, replaceFile } from "@hookline/core/internal/machine";
import { MAX_SETTINGS_BYTES, readRegularFile } from "../../machine/regular-file.js";

/** The current state of an agent's file. `text` is missing if there is no file. */
export interface AgentFile {
  /** The path as it was given. */
  readonly path: string;
  /** The path with all links resolved. */
  readonly realPath: string;
  readonly text?: string;
}

const WORLD_WRITE = 0o002;
const OTHERS = 0o077;
const STICKY = 0o1000;

/** Reads a file that only the user can write. Throws `HL_AGENT_FILE` for a file that other users could have written, or that is not text. */
export function readAgentFile(path: string): AgentFile {
  const realPath = resolved(path);
  checkFolder(path, dirname(realPath));
  const stats = statSync(realPath, { throwIfNoEntry: false });
  if (stats === undefined) return { path, realPath };
  checkFile(path, stats);
  const file = readRegularFile(realPath);
  if (file === undefined) return { path, realPath };
  if ("fault" in file) throw refused(path, `cannot be read: ${file.fault.replace(/\.$/, "")}`);
  return { path, realPath, text: decoded(path, file.bytes) };
}

/** Reads a file that only root can change, with every folder above. Throws `HL_AGENT_FILE` for any other, and for a link. */
export function readManagedFile(path: string): AgentFile {
  const fault = findRootFault(nearest(path));
  if (fault === undefined) return readAgentFile(path);
  throw refused(path, `is not safe there: ${fault}`, {
    fix: "Make root its owner (chown root:root) and take the right to write from all others (chmod go-w), then run this again.",
  });
}

function nearest(path: string): string {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}

/** Replaces a file atomically. It keeps its mode and owner, or gets `mode`, and links to it stay. Returns the folders that it created. */
export function replaceAgentFile({ path, realPath }: AgentFile, text: string, mode?: number): readonly string[] {
  const folder = dirname(realPath);
  const made = missingFolders(folder);
  try {
    // Whatever the umask: in a folder that others may write, any user could replace the file.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // What every user may read, they must be able to reach, also with a strict umask.
    if (mode !== undefined && (mode & 0o044) !== 0) for (const one of made) chmodSync(one, 0o755);
    replaceFile(realPath, text, { like: statSync(realPath, { throwIfNoEntry: false }), ...(mode !== undefined && { mode }) });
  } catch (cause) {
    throw refused(path, `cannot be written: ${(cause as Error).message}`, { cause });
  }
  return made;
}

/** Removes a file that we created and the folders that were created for it, the deepest first, if they are empty. */
export function removeAgentFile({ realPath }: AgentFile, folders: readonly string[]): void {
  rmSync(realPath, { force: true });
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Throws `HL_AGENT_FILE` for a file that other users can read or write. */
export function checkPrivate({ path, realPath }: Pick<AgentFile, "path" | "realPath">): void {
  if (isReadByOthers(realPath))
    throw refused(path, "can be read by other users, and Hookline would write a key into it", { fix: { run: `chmod 600 '${realPath}'` } });
}

/** Whether other users can read or write a file. False if there is no file. */
export function isReadByOthers(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && process.platform !== "win32" && (stats.mode & OTHERS) !== 0;
}

export function refused(path: string, why: string, details: { readonly fix?: Fix; readonly cause?: unknown } = {}): HookError {
  return new HookError("HL_AGENT_FILE", `"${path}" was left as it is: it ${why}.`, details);
}

function resolved(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  try {
    return realpathSync(path);
  } catch (cause) {
    throw refused(path, "is a broken symlink", { fix: "Remove the link, or create its target.", cause });
  }
}

function checkFile(path: string, stats: Stats): void {
  if (!stats.isFile()) throw refused(path, "is not a file", { fix: "Move it away." });
  if (!isOwn(stats)) throw refused(path, `belongs to user ${stats.uid}`, { fix: "Run this as that user." });
  if (process.platform !== "win32" && (stats.mode & WORLD_WRITE) !== 0)
    throw refused(path, "can be changed by every user", { fix: { run: `chmod o-w '${path}'` } });
  if (stats.size > MAX_SETTINGS_BYTES) throw refused(path, `is larger than ${MAX_SETTINGS_BYTES} bytes`);
}

/** In a folder that every user may write to, any user could replace this file. */
function checkFolder(path: string, folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return dirname(folder) === folder ? undefined : checkFolder(path, dirname(folder));
  if (!stats.isDirectory()) throw refused(path, `cannot be there: "${folder}" is not a folder`);
  const isOpen = process.platform !== "win32" && (stats.mode & WORLD_WRITE) !== 0 && (stats.mode & STICKY) === 0;
  if (isOpen) throw refused(path, "is in a folder that every user may write to", { fix: { run: `chmod o-w '${folder}'` } });
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw refused(path, "is not UTF-8 text", { cause });
  }
}

function missingFolders(folder: string): string[] {
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return isThere || dirname(folder) === folder ? [] : [folder, ...missingFolders(dirname(folder))];
}

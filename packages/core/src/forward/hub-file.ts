import { closeSync, constants, fstatSync, linkSync, lstatSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { isAlive } from "./is-alive.js";
import { checkHubFile, type HubFile, parseHubFile } from "./parse-hub-file.js";
import { attempt, replacePrivately, temporaryFor } from "./private-file.js";
import { findFolderFault, isOwn, openFolder } from "./state-folder.js";

export const HUB_FILE = "hub.json";
const MAX_BYTES = 65_536;
const OTHERS = 0o077;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** What the folder says of a hub. `stale`: its process is gone. `foreign`: others can read or change it. `broken`: it cannot be understood. */
export type HubState =
  | { readonly state: "running"; readonly file: HubFile }
  | { readonly state: "none" }
  | { readonly state: "stale" | "foreign" | "broken"; readonly reason: string };

/** Puts the discovery file into the folder, whole or not at all, and never readable by others. Throws `HL_STATE_FOLDER` or `HL_HUB_FILE`. */
export function writeHubFile(folder: string, file: HubFile): void {
  const checked = checkHubFile(file);
  if ("reason" in checked) throw new HookError("HL_HUB_FILE", `The hub's "${HUB_FILE}" was not written: ${checked.reason}.`);
  const full = openFolder(folder);
  try {
    replacePrivately(full, HUB_FILE, `${JSON.stringify(checked.file)}\n`);
  } catch (cause) {
    throw new HookError("HL_HUB_FILE", `"${join(full, HUB_FILE)}" cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

/** Reads the discovery file of a folder. Never throws, and no reason quotes what stood in it. */
export function readHubFile(folder: string): HubState {
  const found = load(folder, HUB_FILE);
  if (found.state !== "running" || isAlive(found.file.pid)) return found;
  return { state: "stale", reason: `its process ${found.file.pid} is gone` };
}

/** Removes the discovery file if this instance wrote it, and says whether it did. Never throws: it is called on the way out. */
export function removeHubFile(folder: string, instance: string): boolean {
  const isOurs = (name: string) => {
    const found = load(folder, name);
    return found.state === "running" && found.file.instance === instance;
  };
  if (!isOurs(HUB_FILE)) return false;
  const path = join(folder, HUB_FILE);
  const aside = temporaryFor(folder, HUB_FILE);
  if (!attempt(() => renameSync(path, aside))) return false;
  // A hub that starts between the look and the rename has its file put back, unless there is a newer one by now.
  const wasOurs = isOurs(basename(aside));
  if (!wasOurs) attempt(() => linkSync(aside, path));
  attempt(() => rmSync(aside, { force: true }));
  return wasOurs;
}

function load(folder: string, name: string): HubState {
  let fd: number | undefined;
  try {
    const path = join(folder, name);
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return { state: "none" };
    const fault = findFolderFault(folder);
    if (fault !== undefined) return { state: "foreign", reason: `the folder "${folder}" is not to be trusted: ${fault}` };
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return { state: "foreign", reason: "it is a symbolic link" };
    // Not waiting for the other end of a pipe.
    fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
    return readFrom(fd, path);
  } catch (error) {
    return stateOfError(error as NodeJS.ErrnoException);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readFrom(fd: number, path: string): HubState {
  const stats = fstatSync(fd);
  if (!stats.isFile()) return { state: "broken", reason: "it is not a regular file" };
  if (!isOwn(stats)) return { state: "foreign", reason: `it belongs to user ${stats.uid}` };
  if (process.platform !== "win32" && (stats.mode & OTHERS) !== 0)
    return { state: "foreign", reason: `other users can get at it. Restart the hub, or run: chmod 600 '${path}'` };
  // One byte more than allowed, whatever the size was a moment ago.
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(fd, buffer, length, buffer.length - length, null);
  if (length > MAX_BYTES) return { state: "broken", reason: `it is larger than ${MAX_BYTES} bytes` };
  const parsed = parseHubFile(buffer.subarray(0, length));
  return "file" in parsed ? { state: "running", file: parsed.file } : { state: "broken", reason: parsed.reason };
}

function stateOfError({ code }: NodeJS.ErrnoException): HubState {
  if (code === "ENOENT") return { state: "none" };
  if (code === "ELOOP") return { state: "foreign", reason: "it is a symbolic link" };
  return { state: code === "EACCES" || code === "EPERM" ? "foreign" : "broken", reason: `it cannot be read (${code ?? "unknown error"})` };
}

import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { messageOf } from "../bus/describe-error.js";
import { type Fix, HookError } from "../catalog/errors.js";
import { quoted } from "../text/shell-word.js";
import { findRootFault, isManagedConfig, type Managed, managedAt, readManaged } from "./managed.js";

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const WORLD_WRITE = 0o002;
const STICKY = 0o1000;
const ROOTS_OWN = "As root, make these folders root's own.";

/** Why a folder or a file must not be trusted, and what to do about it. */
export interface TrustFault {
  readonly reason: string;
  readonly fix?: Fix | undefined;
}

/** Where the hub keeps its state: `$XDG_STATE_HOME/hookline`, else `~/.local/state/hookline`; on Windows the local application data. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local = "" } = env;
  if (isUsable(state)) return join(state, "hookline");
  if (process.platform === "win32" && isUsable(local)) return join(local, "hookline");
  return join(homeOf(env), ".local", "state", "hookline");
}

/** Where processes find the hub: the folder of the managed hub, if this machine has one, else the user's state folder. */
export function hubFolder(env: NodeJS.ProcessEnv = process.env): string {
  return readManaged()?.run ?? stateFolder(env);
}

/** Where the hub's sockets stand: `$XDG_RUNTIME_DIR/hookline` if that folder is there and this user's own (after `sudo` it is not), else the state folder. */
export function runtimeFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_RUNTIME_DIR: runtime = "" } = env;
  const stats = isUsable(runtime) ? statsOf(() => statSync(runtime)) : undefined;
  const isOurs = stats?.isDirectory() === true && isOwn(stats) && (stats.mode & OTHERS_WRITE) === 0;
  return isOurs ? join(runtime, "hookline") : stateFolder(env);
}

/** Makes the folder for its owner alone if it is not there, and gives its full path. Throws `HL_STATE_FOLDER` for one that other users can access. */
export function openFolder(path: string): string {
  // Resolved, because the system follows a link that is written with a slash at its end.
  const folder = resolve(path);
  const isThere = statsOf(() => lstatSync(folder)) !== undefined;
  if (!isThere && findParentFault(folder) === undefined) makeFolder(folder);
  const fault = findFolderFault(folder);
  if (fault === undefined) return folder;
  throw new HookError("HL_STATE_FOLDER", `Refused to keep the hub's files in "${folder}": ${fault.reason}.`, {
    fix: fault.fix,
    failure: "untrusted",
  });
}

/** Opens a folder in which files are to be written. Throws `HL_STATE_FOLDER`, with the remedy, if it is read-only. */
export function openWritableFolder(path: string): string {
  const folder = openFolder(path);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (cause) {
    const { reason, fix } = unwritableFault(folder, (cause as NodeJS.ErrnoException).code ?? messageOf(cause));
    throw new HookError("HL_STATE_FOLDER", `The hub cannot keep its files: ${reason}.`, { cause, fix });
  }
}

function makeFolder(folder: string): void {
  try {
    // A umask can take bits from the owner, too.
    if (makeFolders(folder)) chmodSync(folder, isManagedConfig(folder) ? 0o755 : managedAt(folder) === undefined ? 0o700 : 0o750);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const fault = UNWRITABLE.has(code ?? "") ? unwritableFault(existingFolder(folder), code ?? "") : undefined;
    const why = fault === undefined ? messageOf(cause) : fault.reason;
    throw new HookError("HL_STATE_FOLDER", `The folder "${folder}" cannot be made: ${why}.`, { cause, fix: fault?.fix });
  }
}

const UNWRITABLE: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"]);

/** The folder itself, or the nearest one above it that exists. */
export function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}

/** Why nothing can be written in a folder, and the command that resolves it. */
export function unwritableFault(folder: string, code: string): { readonly reason: string; readonly fix: { readonly run: string } } {
  const name = quoted(folder);
  if (code === "EROFS")
    return {
      reason: `${folder} is on a file system that is mounted read-only`,
      fix: { run: `mount -o remount,rw "$(df --output=target ${name} | tail -1)"` },
    };
  if (code === "ENOSPC" || code === "EDQUOT") return { reason: `${folder} is on a full disk`, fix: { run: `df -h ${name}` } };
  const run = code === "EACCES" || code === "EPERM" ? `chmod u+rwx ${name}` : `ls -ld ${name}`;
  return { reason: `${folder} cannot be written to (${code})`, fix: { run } };
}

/**
 * Makes a folder and those above it; says whether it was missing. Node's own `recursive` never
 * returns for a folder in which no folder can be made, such as `/proc`.
 */
export function makeFolders(path: string, mode = 0o700): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(path).isDirectory()) return false;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    makeFolders(parent, mode);
    return makeFolders(path, mode);
  }
}

/** Why a folder must not be trusted; `undefined` if it can be. */
export function findFolderFault(path: string): TrustFault | undefined {
  const folder = resolve(path);
  if (isManagedConfig(folder)) {
    const reason = findRootFault(folder);
    return reason === undefined ? undefined : { reason, fix: ROOTS_OWN };
  }
  const managed = managedAt(folder);
  if (managed !== undefined) return findManagedFault(folder, managed);
  const parentFault = findParentFault(folder);
  if (parentFault !== undefined) return parentFault;
  const stats = statsOf(() => lstatSync(folder));
  if (stats === undefined) return { reason: "it is not there, or cannot be seen" };
  if (stats.isSymbolicLink()) return { reason: "it is a symbolic link", fix: "Remove the link, or set XDG_STATE_HOME to where it leads." };
  if (!stats.isDirectory()) return { reason: "it is not a folder", fix: "Move it away." };
  if (!isOwn(stats)) return { reason: `it belongs to user ${stats.uid}`, fix: "Set XDG_STATE_HOME to a folder of your own." };
  if (process.platform === "win32" || (stats.mode & OTHERS) === 0) return undefined;
  return { reason: "other users can access it", fix: { run: `chmod 700 ${quoted(folder)}` } };
}

/** The folder of the managed hub, which its group may read. */
function findManagedFault(folder: string, { run, user }: Managed): TrustFault | undefined {
  const rootFault = findRootFault(dirname(run));
  if (rootFault !== undefined) return { reason: rootFault, fix: ROOTS_OWN };
  for (const path of new Set([run, folder])) {
    const stats = statsOf(() => lstatSync(path));
    if (stats === undefined) return { reason: "it is not there, or cannot be seen", fix: { run: "systemctl status hookline" } };
    if (!stats.isDirectory() || stats.uid !== user || (stats.mode & (OTHERS_WRITE | 0o007)) !== 0)
      return {
        reason: `"${path}" is not a folder that only the hub's user (${user}) can write to`,
        fix: { run: "hookline service status" },
      };
  }
  return undefined;
}

/** In a folder that every user can write to, and that has no sticky bit, every user can put another folder in the place of ours. */
function findParentFault(folder: string): TrustFault | undefined {
  if (process.platform === "win32") return undefined;
  const open = [...parentsOf(folder), ...parentsOf(realPathOf(folder))].find((parent) => {
    const mode = statsOf(() => statSync(parent))?.mode ?? 0;
    return (mode & WORLD_WRITE) !== 0 && (mode & STICKY) === 0;
  });
  if (open === undefined) return undefined;
  return { reason: `every user can replace it, because every user can write to "${open}"`, fix: { run: `chmod o-w ${quoted(open)}` } };
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Whether a file in this folder belongs to the hub that the folder is of: the managed hub's user, or this one. In `/etc/hookline`, to root. */
export function isOfHub(folder: string, stats: Stats): boolean {
  if (isManagedConfig(folder)) return stats.uid === 0;
  const managed = managedAt(folder);
  return managed === undefined ? isOwn(stats) : stats.uid === managed.user;
}

/** Files belong to the effective user that makes them. Windows has no user to compare. */
export function isOwn(stats: Stats): boolean {
  return process.geteuid === undefined || stats.uid === process.geteuid();
}

// The XDG specification: a relative path is invalid and to be ignored.
function isUsable(path: string): boolean {
  return isAbsolute(path) && !path.includes("\0");
}

function homeOf({ HOME: home = "" }: NodeJS.ProcessEnv): string {
  if (process.platform !== "win32" && isUsable(home)) return home;
  let found = "";
  try {
    found = homedir();
  } catch {
    // The user has no entry in the password file; the error below says so.
  }
  if (isUsable(found)) return found;
  throw new HookError("HL_STATE_FOLDER", "This user has no home folder.", {
    fix: "Set XDG_STATE_HOME to the full path of a folder of your own.",
  });
}

function statsOf(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

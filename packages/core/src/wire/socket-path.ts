import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { HookError } from "../catalog/errors.js";
import { managedAt } from "../machine/managed.js";
import { findFolderFault } from "../machine/state-folder.js";

const WORLD_WRITABLE = 0o002;
const STICKY = 0o1000;
const PIPE_PREFIX = "\\\\.\\pipe\\";
// What `sun_path` holds, less its NUL; a longer path would be cut or refused in words that name no path.
export const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** Where a socket of ours stands unless told otherwise: in the user's own runtime folder, else the state folder; never in a folder that every user may write to. */
export function defaultSocketPath(fileName = "events.sock", env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === "win32") return `${PIPE_PREFIX}hookline-${userInfo().username}-${fileName}`;
  const { XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: state } = env;
  if (runtime !== undefined && isPrivateFolder(runtime)) return join(runtime, "hookline", fileName);
  const base = state !== undefined && isAbsolute(state) ? state : join(homedir(), ".local", "state");
  return join(base, "hookline", fileName);
}

/** The path in full. Throws `HL_BAD_OPTION` for one that no socket can have. */
export function readSocketPath(path: unknown): string {
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw new HookError("HL_BAD_OPTION", 'A socket\'s "path" must be the path of a Unix socket or a named pipe.');
  if (isPipe(path)) return path;
  const full = resolve(path);
  if (Buffer.byteLength(full) > MAX_SOCKET_PATH_BYTES)
    throw new HookError("HL_BAD_OPTION", `The socket path "${full}" is longer than the ${MAX_SOCKET_PATH_BYTES} bytes the system allows.`);
  return full;
}

/** Throws `HL_UNSAFE_SOCKET` where another user could listen in our peer's place. A path that does not exist yet is safe. */
export function checkSocketPath(path: string): void {
  const uid = process.getuid?.();
  if (uid === undefined || isPipe(path)) return;
  const managed = managedAt(dirname(path));
  if (managed !== undefined) return checkManagedSocket(path, managed.user);
  checkFolder(dirname(path), uid);
  const socket = existing(() => lstatSync(path));
  if (socket === undefined) return;
  if (!socket.isSocket()) throw unsafe(`"${path}" is not a socket`);
  if (socket.uid !== uid) throw unsafe(`"${path}" belongs to user ${socket.uid}, not to user ${uid} who sends`);
}

/** Only root and the managed hub's user can put a socket there. */
function checkManagedSocket(path: string, user: number): void {
  const fault = findFolderFault(dirname(path));
  if (fault !== undefined) throw unsafe(fault.reason);
  const socket = existing(() => lstatSync(path));
  if (socket !== undefined && (!socket.isSocket() || socket.uid !== user)) throw unsafe(`"${path}" is not a socket of the managed hub`);
}

function checkFolder(given: string, uid: number): void {
  const folder = existing(() => realpathSync(given));
  const stats = folder === undefined ? undefined : existing(() => statSync(folder));
  if (stats === undefined) return;
  if ((stats.mode & WORLD_WRITABLE) !== 0 && (stats.mode & STICKY) === 0) throw unsafe(`every user may write to the folder "${folder}"`);
  if (stats.uid !== uid && stats.uid !== 0) throw unsafe(`the folder "${folder}" belongs to user ${stats.uid}`);
}

function isPrivateFolder(path: string): boolean {
  const stats: Stats | undefined = isAbsolute(path) ? existing(() => statSync(path)) : undefined;
  return stats?.isDirectory() === true && (stats.mode & WORLD_WRITABLE) === 0;
}

function isPipe(path: string): boolean {
  return process.platform === "win32" && path.startsWith(PIPE_PREFIX);
}

function existing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    // Absent, or not for us to see: connecting will say which.
    return undefined;
  }
}

function unsafe(why: string): HookError {
  return new HookError("HL_UNSAFE_SOCKET", `Refused to send events to a socket that another user could answer: ${why}.`, {
    failure: "untrusted",
  });
}

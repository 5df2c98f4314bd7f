import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf } from "../../bus/describe-error.js";
import { HookError } from "../../catalog/errors.js";
import { makeFolders } from "../../machine/state-folder.js";

/** Opens a file that only its owner can read; `O_CREAT` makes its folder too. Throws `HL_DEAD_LETTER`. */
export function openPrivate(path: string, flags: number): number {
  return attempt(path, "opened", () => {
    checkFolder(path);
    if ((flags & constants.O_CREAT) !== 0) makeFolders(dirname(resolve(path)));
    // A link planted beside us must not lead what we write somewhere else.
    const fd = openSync(path, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
    try {
      claim(fd);
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  });
}

/** Throws `HL_DEAD_LETTER` when the folder of a file is there and others could put files into it. */
export function checkFolder(path: string): void {
  const folder = dirname(resolve(path));
  const stat = attempt(path, "used", () => statSync(folder, { throwIfNoEntry: false }));
  if (stat === undefined || isWindows) return;
  if ((stat.mode & 0o002) !== 0) throw refused(path, `everyone can write to its folder "${folder}"`);
  if (!isTrusted(stat)) throw refused(path, `its folder "${folder}" belongs to another user`);
}

/** Runs a file operation; what it throws becomes `HL_DEAD_LETTER`. */
export function attempt<T>(path: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof HookError) throw cause;
    throw new HookError("HL_DEAD_LETTER", `The dead-letter file "${path}" cannot be ${what}: ${messageOf(cause)}.`, { cause });
  }
}

const isWindows = process.platform === "win32";

function claim(fd: number): void {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw new Error("it is not a regular file");
  if (isWindows) return;
  if (!isTrusted(stat)) throw new Error("it belongs to another user");
  if ((stat.mode & 0o077) !== 0) fchmodSync(fd, 0o600);
}

function isTrusted({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.();
}

function refused(path: string, why: string): HookError {
  return new HookError("HL_DEAD_LETTER", `The dead-letter file "${path}" is refused: ${why}. Use a folder of your own.`);
}

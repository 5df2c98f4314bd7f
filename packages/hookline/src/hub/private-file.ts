import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";

/** Sees to it that a file is its owner's alone, before somebody else makes it with the umask's mode. One that is there keeps its content. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Not opened: to close any descriptor of a file gives up every lock this process holds on it.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true && (stats.mode & 0o077) !== 0 && process.platform !== "win32") chmodSync(path, 0o600);
  }
}

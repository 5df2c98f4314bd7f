import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** A folder that is another one, but for a few files. */
export interface Overlay {
  /** What was made in it meanwhile, or put in the place of a link, goes where it would have gone. Gives what could not. */
  close(): readonly string[];
}

/** `over` gets a link for everything in `under`, but for the names in `own`: these are the overlay's, and stay behind. */
export function openOverlay(under: string, over: string, own: readonly string[]): Overlay {
  mkdirSync(over, { recursive: true, mode: 0o700 });
  for (const name of namesIn(under)) if (!own.includes(name)) symlinkSync(join(under, name), join(over, name));
  return {
    close: () =>
      namesIn(over)
        .filter((name) => !own.includes(name) && !isLink(join(over, name)))
        .flatMap((name) => carryBack(join(over, name), join(under, name))),
  };
}

function carryBack(from: string, to: string): string[] {
  try {
    // Also onto another file system. What both have made is the one that was finished last.
    cpSync(from, to, { recursive: true, force: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true, force: true });
    return [];
  } catch (error) {
    return [`${to}: ${(error as Error).message}`];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

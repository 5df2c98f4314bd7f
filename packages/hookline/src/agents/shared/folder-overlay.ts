import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** A folder that mirrors another one except for a few files. */
export interface Overlay {
  /** Moves files that were created in the overlay, or that replaced a link, to the folder below. Returns the failures. */
  close(): readonly string[];
}

/** `over` gets a link for everything in `under` except the names in `own`, which belong to the overlay and are not moved back. */
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
    // Also works across file systems. If both folders have the file, the newer one wins.
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

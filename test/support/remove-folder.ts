import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes a folder with all that is in it, also trusted copies, into which nobody may write. */
export function removeFolder(path: string): void {
  openUp(path);
  rmSync(path, { recursive: true, force: true });
}

function openUp(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) openUp(join(folder, entry.name));
}

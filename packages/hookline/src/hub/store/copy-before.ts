import { chmodSync, constants, copyFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { errorText } from "@hookline/core";

/** Also one that was being written when its hub was killed. */
const NAME = /^events-before-.*\.db(?:\.half)?$/;

/**
 * Copies a store that is about to be brought up to date, so that an older Hookline can be restored. Only this hub writes to the file, so after its
 * log is folded in, the file is whole. The copy before is removed: it is older still. Without room for a copy, the store is brought up to date all
 * the same, because a hub that does not start guards nothing.
 */
export function copyBefore(database: DatabaseSync, path: string, onProgress: (text: string) => void): void {
  const folder = dirname(path);
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  const copy = join(folder, `events-before-${new Date().toISOString().slice(0, 10)}-v${version}.db`);
  const half = join(folder, `${basename(copy)}.half`);
  onProgress(`Copying the store to ${copy} …`);
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    copyFileSync(path, half, constants.COPYFILE_FICLONE);
    chmodSync(half, 0o600);
    renameSync(half, copy);
  } catch (error) {
    rmSync(half, { force: true });
    onProgress(`The store is brought up to date without a copy, which could not be written: ${errorText(error)}`);
    return;
  }
  for (const old of copiesBefore(folder)) if (old !== copy) rmSync(old, { force: true });
}

/** The copies that earlier starts have kept. */
export function copiesBefore(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .map((name) => join(folder, name));
}

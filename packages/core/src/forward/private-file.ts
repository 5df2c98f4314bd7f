import { randomBytes } from "node:crypto";
import { closeSync, constants, fchmodSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "./is-alive.js";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Puts a file into a folder, whole or not at all, and never readable by others: on the disk before anybody sees it under its name. */
export function replacePrivately(folder: string, name: string, text: string): void {
  sweep(folder, name);
  const temporary = temporaryFor(folder, name);
  try {
    writeAlone(temporary, text);
    renameSync(temporary, join(folder, name));
  } catch (error) {
    attempt(() => rmSync(temporary, { force: true }));
    throw error;
  }
}

/** A name beside the file that nobody else uses, and that tells whose it is. */
export function temporaryFor(folder: string, name: string): string {
  return join(folder, `.${name}.${process.pid}.${randomBytes(8).toString("hex")}`);
}

export function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** A new file that is its owner's alone from the first byte. */
function writeAlone(path: string, text: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whoever was killed while it wrote leaves a token behind. */
function sweep(folder: string, name: string): void {
  attempt(() => {
    for (const found of readdirSync(folder)) {
      const [, pid] = /^\.(?:.+)\.(\d{1,10})\.[0-9a-f]{16}$/.exec(found) ?? [];
      if (pid !== undefined && found.startsWith(`.${name}.${pid}.`) && !isAlive(Number(pid))) rmSync(join(folder, found), { force: true });
    }
  });
}

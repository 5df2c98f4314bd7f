import { randomBytes } from "node:crypto";
import { closeSync, constants, fchmodSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { isAlive, openFolder } from "@hookline/core/discover";
import { OPERATOR_FILE, type OperatorFile, readOperatorFile } from "./read-operator-file.js";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const TEMPORARY = /^\.operator\.json\.(\d{1,10})\.[0-9a-f]{16}$/;

/** Puts the file into the folder, whole or not at all, and never readable by others. Throws `HL_STATE_FOLDER` or `HL_OPERATOR_FILE`. */
export function writeOperatorFile(folder: string, { instance, token }: OperatorFile): void {
  const full = openFolder(folder);
  sweep(full);
  const temporary = join(full, `.${OPERATOR_FILE}.${process.pid}.${randomBytes(8).toString("hex")}`);
  try {
    writeAlone(temporary, `${JSON.stringify({ instance, token })}\n`);
    renameSync(temporary, join(full, OPERATOR_FILE));
  } catch (cause) {
    attempt(() => rmSync(temporary, { force: true }));
    const why = cause instanceof Error ? cause.message : "unknown error";
    throw new HookError("HL_OPERATOR_FILE", `"${join(full, OPERATOR_FILE)}" cannot be written: ${why}.`, { cause });
  }
}

/** Removes the file if this instance wrote it, and says whether it did. Never throws: it is called on the way out. */
export function removeOperatorFile(folder: string, instance: string): boolean {
  const found = readOperatorFile(folder);
  if (found.state !== "found" || found.file.instance !== instance) return false;
  return attempt(() => rmSync(join(folder, OPERATOR_FILE)));
}

/** A new file that is its owner's alone from the first byte, and on the disk before anybody sees it under its name. */
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

/** A hub that was killed while it wrote leaves a token behind. */
function sweep(folder: string): void {
  attempt(() => {
    for (const name of readdirSync(folder)) {
      const pid = TEMPORARY.exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
    }
  });
}

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

import { closeSync, constants, readFileSync, rmSync } from "node:fs";
import { HookError } from "../../catalog/errors.js";
import { writeAll } from "./dead-letter.js";
import { attempt, openPrivate } from "./private-file.js";

/** Two redeliveries at once would bring back what the other has delivered. Gives the way to unlock; throws `HL_DEAD_LETTER`. */
export function lockForRedelivery(path: string): () => void {
  const lockPath = `${path}.lock`;
  if (!tryLock(lockPath)) {
    const owner = readOwner(lockPath);
    if (owner === undefined || isAlive(owner)) throw busy(path, lockPath);
    // Its owner was killed.
    rmSync(lockPath, { force: true });
    if (!tryLock(lockPath)) throw busy(path, lockPath);
  }
  return () => rmSync(lockPath, { force: true });
}

function tryLock(lockPath: string): boolean {
  try {
    const fd = openPrivate(lockPath, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    attempt(lockPath, "written", () => writeAll(fd, Buffer.from(String(process.pid))));
    closeSync(fd);
    return true;
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    if (cause?.code === "EEXIST") return false;
    throw error;
  }
}

function readOwner(lockPath: string): number | undefined {
  const pid = Number(attempt(lockPath, "read", () => readFileSync(lockPath, "utf8")));
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function busy(path: string, lockPath: string): HookError {
  return new HookError("HL_DEAD_LETTER", `The dead-letter file "${path}" is being redelivered. If it is not, remove "${lockPath}".`);
}

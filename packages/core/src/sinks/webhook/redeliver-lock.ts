import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { HookError } from "../../catalog/errors.js";
import { openLivenessSocket, probeLiveness } from "../../wire/liveness-socket.js";
import { attempt, checkFolder } from "./dead-letter-file.js";

const SOCKET = "alive.sock";

/** Two redeliveries at once would bring back what the other has delivered. Gives the way to unlock; rejects with `HL_DEAD_LETTER`. */
export async function lockForRedelivery(path: string): Promise<() => void> {
  const lock = `${path}.lock`;
  checkFolder(path);
  if (!take(lock)) {
    await removeDead(lock);
    if (!take(lock)) throw busy(path, lock);
  }
  const socket = attempt(lock, "used", () => listen(lock));
  return () => {
    socket.close();
    rmSync(lock, { recursive: true, force: true });
  };
}

function take(lock: string): boolean {
  return attempt(lock, "made", () => {
    try {
      mkdirSync(lock, { mode: 0o700 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
}

function listen(lock: string): { close(): void } {
  try {
    return openLivenessSocket(lock, SOCKET);
  } catch (error) {
    rmSync(lock, { recursive: true, force: true });
    throw error;
  }
}

/** Of a redelivery that was killed. Its process number would say nothing in another container. */
async function removeDead(lock: string): Promise<void> {
  if ((await probeLiveness(lock, SOCKET)) !== "dead") return;
  const aside = `${lock}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(lock, aside);
    // Another may have taken the lock between the look and the rename.
    if ((await probeLiveness(aside, SOCKET)) === "dead") rmSync(aside, { recursive: true, force: true });
    else renameSync(aside, lock);
  } catch {
    // Another removes it.
  }
}

function busy(path: string, lock: string): HookError {
  return new HookError("HL_DEAD_LETTER", `The dead-letter file "${path}" is being redelivered. If it is not, remove "${lock}".`);
}

import { closeSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { openFolder } from "@hookline/core/internal/machine";

const LOCK_FILE = "trust.lock";
const STALE_MS = 10_000;
const PATIENCE_MS = 3_000;
const NAP_MS = 10;

/** Lets one process at a time change the record: two that consent at once must not lose one of the answers. */
export function withStoreLock<T>(stateFolder: string, act: () => T): T {
  const path = join(openFolder(stateFolder), LOCK_FILE);
  const until = Date.now() + PATIENCE_MS;
  while (!take(path)) {
    if (Date.now() > until) throw new HookError("HL_TRUST_STORE", `Another process holds "${path}". If none runs, remove the file.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NAP_MS);
  }
  try {
    return act();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    const fd = openSync(path, "wx", 0o600);
    writeSync(fd, String(process.pid));
    closeSync(fd);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // Whoever held it was killed: the work takes milliseconds.
  const age = Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > STALE_MS) rmSync(path, { force: true });
  return false;
}

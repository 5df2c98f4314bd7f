import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** Beside the lock, whose own file cannot be read while it is held, and must not be: to close it would give the lock up. */
function fileOf(lock: string): string {
  return `${lock}.pid`;
}

/** For people to know whom they wait for. The lock holds also when it cannot be written. */
export function noteLockHolder(lock: string): void {
  try {
    writeFileSync(fileOf(lock), `${process.pid}\n`, { mode: 0o600 });
  } catch {}
}

export function forgetLockHolder(lock: string): void {
  try {
    rmSync(fileOf(lock), { force: true });
  } catch {}
}

/** The process that has taken the lock last; it may be gone, and then it holds nothing. */
export function readLockHolder(lock: string): number | undefined {
  try {
    const pid = Number(readFileSync(fileOf(lock), "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

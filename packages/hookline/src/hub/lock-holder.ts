import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

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

/** The process that has taken the lock last, to be named to a person. It may be gone, or be in another container. */
export function readLockHolder(lock: string): number | undefined {
  try {
    const pid = Number(readFileSync(fileOf(lock), "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The process that holds the lock now, as the system says it: only that one may be sent a signal. Nothing where the holder is in another
 * PID namespace, or the system does not tell. Where there are no such namespaces, the holder's own note is as good.
 */
export function findLockHolder(lock: string): number | undefined {
  const noted = readLockHolder(lock);
  if (process.platform !== "linux") return noted;
  try {
    const { ino } = statSync(lock);
    // "3: POSIX  ADVISORY  WRITE 15807 fe:00:2196178 1073741824 1073742335"; the numbers of processes are those of our own namespace.
    const holders = [...readFileSync("/proc/locks", "utf8").matchAll(/ WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /g)];
    const own = holders.find(([, , inode]) => Number(inode) === ino)?.[1];
    return own !== undefined && Number(own) === noted ? noted : undefined;
  } catch {
    return undefined;
  }
}

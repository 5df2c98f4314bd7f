import { readFileSync } from "node:fs";

/** Whether a process runs. A number that was given to another process since counts as running: who answers must still prove who it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is there all the same.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid);
}

// In a container without an init nobody collects a killed hub, and a signal still finds it.
function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name before the state may itself have brackets and spaces in it.
    return /^ [ZX] /.test(stat.slice(stat.lastIndexOf(")") + 1));
  } catch {
    return false;
  }
}

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * How many files and sockets this process may have open. Node has no call for it: Linux says it in a file, other systems through the shell,
 * which has the limit of the process that starts it. `undefined` if the system does not tell; Windows has no such limit.
 */
export function descriptorLimit(): number | undefined {
  if (process.platform === "win32") return Number.POSITIVE_INFINITY;
  return process.platform === "linux" ? fromProc() : fromShell();
}

function fromProc(): number | undefined {
  try {
    return numberIn(/^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1]);
  } catch {
    return undefined;
  }
}

function fromShell(): number | undefined {
  try {
    return numberIn(execFileSync("/bin/sh", ["-c", "ulimit -n"], { encoding: "latin1", timeout: 2_000, env: {}, stdio: "pipe" }).trim());
  } catch {
    return undefined;
  }
}

function numberIn(text: string | undefined): number | undefined {
  if (text === "unlimited") return Number.POSITIVE_INFINITY;
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

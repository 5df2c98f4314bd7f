import { spawnSync } from "node:child_process";
import { accessSync } from "node:fs";
import { delimiter, join } from "node:path";

const MARK = "HOOKLINE_IN_BOX";

/**
 * Becomes this program anew in a network that has nothing but loopback, where the system allows it (root on Linux). It goes on as it is
 * where that cannot be done, or has been.
 */
export function enterNetworkBox(): void {
  if (process.env[MARK] !== undefined || process.platform !== "linux") return;
  const unshare = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "unshare"))
    .find(isThere);
  const box = ["-n", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "box"];
  if (unshare === undefined || spawnSync(unshare, [...box, "true"]).status !== 0) {
    console.error("No network of its own could be made: the agents could reach the internet.");
    return;
  }
  const [, ...args] = process.argv;
  // In this process's place: a signal to it ends all that it started.
  process.execve?.(unshare, ["unshare", ...box, process.execPath, ...args], { ...process.env, [MARK]: "1" } as { [name: string]: string });
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

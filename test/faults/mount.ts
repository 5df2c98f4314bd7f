import { spawnSync } from "node:child_process";

/** Commands that run a program with a small disk of its own in place of `folder`; nothing where that is not allowed. The mount goes with the program. */
export function onSmallDisk(folder: string, megabytes: number): string[] | undefined {
  for (const unshare of [
    ["unshare", "-m"],
    ["unshare", "-rm"],
  ]) {
    const command = [...unshare, "sh", "-c", `mount -t tmpfs -o size=${megabytes}m,mode=700 tmpfs "$0" && exec "$@"`, folder];
    const [first = "", ...rest] = [...command, "true"];
    if (spawnSync(first, rest, { timeout: 10_000 }).status === 0) return command;
  }
  return undefined;
}

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

/**
 * Commands that run a program in a PID namespace of its own, as a container does: it sees no process of ours. `hidden` is a folder it does
 * not see either, as one that was not mounted. Nothing where that is not allowed.
 */
export function inPidNamespace(hidden?: string): string[] | undefined {
  const hide = hidden === undefined ? "" : 'mount -t tmpfs -o mode=700 tmpfs "$0" && ';
  for (const asRoot of [[], ["-r"]]) {
    const unshare = ["unshare", ...asRoot, "--mount", "--fork", "--pid", "--mount-proc", "--kill-child"];
    const command = [...unshare, "sh", "-c", `${hide}exec "$@"`, hidden ?? "sh"];
    const [first = "", ...rest] = [...command, "true"];
    if (spawnSync(first, rest, { timeout: 10_000 }).status === 0) return command;
  }
  return undefined;
}

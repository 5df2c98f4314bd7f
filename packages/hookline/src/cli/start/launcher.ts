import { lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile } from "@hookline/core/internal/machine";
import { shellWord } from "@hookline/core/internal/text";
import { findInvocation } from "../../machine/invocation.js";

const MARK = '# Made by "hookline start". To remove it: hookline uninstall';
const PROGRAM = fileURLToPath(new URL("../../../bin/hookline.js", import.meta.url));

/** A file by which the shell finds `hookline` in any folder. */
export interface Launcher {
  readonly path: string;
  /** Whether the shell looks in its folder. */
  readonly isOnPath: boolean;
}

/** Where a launcher is to be made. Missing where the shell finds `hookline` already, or another program has made the file. */
export function planLauncher(env: NodeJS.ProcessEnv): Launcher | undefined {
  if (process.platform === "win32" || findInvocation(env).anywhere === "hookline") return undefined;
  const path = launcherPath(env);
  const isFree = lstatSync(path, { throwIfNoEntry: false }) === undefined || isOurs(path);
  return isFree ? { path, isOnPath: (env.PATH ?? "").split(":").includes(dirname(path)) } : undefined;
}

export function writeLauncher({ path }: Launcher): void {
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, `#!/bin/sh\n${MARK}\nexec ${shellWord(process.execPath)} ${shellWord(PROGRAM)} "$@"\n`, { mode: 0o755 });
}

/** The launcher that `hookline start` has made, if it is there. */
export function findLauncher(env: NodeJS.ProcessEnv): string | undefined {
  const path = launcherPath(env);
  return isOurs(path) ? path : undefined;
}

export function removeLauncher(path: string): void {
  rmSync(path, { force: true });
}

function launcherPath({ HOME }: NodeJS.ProcessEnv): string {
  return join(HOME || homedir(), ".local", "bin", "hookline");
}

function isOurs(path: string): boolean {
  try {
    return lstatSync(path).isFile() && readFileSync(path, "utf8").split("\n")[1] === MARK;
  } catch {
    return false;
  }
}

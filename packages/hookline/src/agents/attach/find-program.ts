import { spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";
import type { AgentProgram } from "../shared/definition.js";

/** An agent's program on this machine. */
export interface FoundProgram {
  /** The path at which PATH finds it. */
  readonly path: string;
  /** The version in its package. Missing if it was not installed as a package. */
  readonly version?: string;
}

const MAX_LEVELS = 6;

/** Finds a program in PATH, and its version without running it. */
export function findProgram(
  { commands, package: packageName, nativePackages = [] }: AgentProgram,
  env: NodeJS.ProcessEnv,
): FoundProgram | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = folders.flatMap((folder) => commands.map((name) => join(folder, name))).find(isRunnable);
  if (path === undefined) return undefined;
  const version = packageName === undefined ? undefined : versionOf(path, [packageName, ...nativePackages]);
  return { path, ...(version !== undefined && { version }) };
}

const ASK_MS = 10_000;

/** Like `findProgram`. If no package says its version, or the program has versions of its own, it is run with `--version`. */
export function askProgram(program: AgentProgram, env: NodeJS.ProcessEnv): FoundProgram | undefined {
  const found = findProgram(program, env);
  if (found === undefined || (found.version !== undefined && program.hasOwnVersions !== true)) return found;
  const { status, stdout } = spawnSync(found.path, ["--version"], {
    env: { ...env, HOOKLINE: "0" },
    timeout: ASK_MS,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 * 1_024,
  });
  const version = status === 0 ? /\d+\.\d+(\.\d+)*/.exec(stdout.toString("utf8"))?.[0] : undefined;
  return { path: found.path, ...(version !== undefined && { version }) };
}

export function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a file, by its real path, is an agent's own program: a part of its package, or what PATH finds under its command. */
export function isProgramOf(program: AgentProgram, file: string, env: NodeJS.ProcessEnv): boolean {
  try {
    const names: readonly unknown[] = [program.package, ...(program.nativePackages ?? [])];
    if (packagesOf(file).some(({ name }) => names.includes(name))) return true;
    const found = findProgram(program, env);
    return found !== undefined && realpathSync(found.path) === realpathSync(file);
  } catch {
    return false;
  }
}

/** From the nearest package of these names that contains the program, at any depth. */
function versionOf(program: string, names: readonly unknown[]): string | undefined {
  const version = packagesOf(program).find(({ name }) => names.includes(name))?.version;
  return typeof version === "string" ? version : undefined;
}

/** The packages that contain a file, by its real path; the nearest first. Throws if there is no such file. */
export function packagesOf(file: string): readonly { readonly name?: unknown; readonly version?: unknown }[] {
  let folder = dirname(realpathSync(file));
  const found: ReturnType<typeof readPackage>[] = [];
  for (let level = 0; level < MAX_LEVELS && folder !== dirname(folder); level++, folder = dirname(folder))
    found.push(readPackage(join(folder, "package.json")));
  return found.filter(({ name }) => name !== undefined);
}

function readPackage(path: string): { readonly name?: unknown; readonly version?: unknown } {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  } catch {
    return {};
  }
}

type Records = { readonly [agent: string]: FoundProgram | undefined };

const FILE = "programs.json";

/** Records the program of an agent when it is attached, to notice later when it has changed. */
export function noteProgram(folder: string, agent: string, found: FoundProgram | undefined): void {
  const { [agent]: _, ...others } = readPrograms(folder);
  const records = found === undefined ? others : { ...others, [agent]: found };
  replacePrivately(folder, FILE, `${JSON.stringify(records, undefined, 2)}\n`);
}

/** Only used for a comparison, so an unreadable file counts as empty. */
export function readPrograms(folder: string): Records {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, FILE), "utf8"));
    return typeof value === "object" && value !== null ? (value as Records) : {};
  } catch {
    return {};
  }
}

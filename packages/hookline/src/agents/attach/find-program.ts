import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";
import type { AgentProgram } from "../shared/definition.js";

/** An agent's program on this machine. */
export interface FoundProgram {
  /** As it is found in the PATH. */
  readonly path: string;
  /** As its package says; missing where it came some other way. */
  readonly version?: string;
}

const MAX_LEVELS = 6;

/** Finds a program in the PATH, and its version without running it. */
export function findProgram({ commands, package: packageName }: AgentProgram, env: NodeJS.ProcessEnv): FoundProgram | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = folders.flatMap((folder) => commands.map((name) => join(folder, name))).find(isRunnable);
  if (path === undefined) return undefined;
  const version = packageName === undefined ? undefined : versionOf(path, packageName);
  return { path, ...(version !== undefined && { version }) };
}

/** What the definition was measured on, as lists say it. */
export function triedText({ tried }: Pick<AgentProgram, "tried">): string {
  return tried === undefined ? "known from its documentation only" : `${tried} was tried`;
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** From the package that the program lies in, however deep. */
function versionOf(program: string, packageName: string): string | undefined {
  let folder = dirname(realpathSync(program));
  for (let level = 0; level < MAX_LEVELS && folder !== dirname(folder); level++, folder = dirname(folder)) {
    const { name, version } = readPackage(join(folder, "package.json"));
    if (name === packageName && typeof version === "string") return version;
  }
  return undefined;
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

/** Notes which program an agent was when it was attached, to notice when it is another. */
export function noteProgram(folder: string, agent: string, found: FoundProgram | undefined): void {
  const { [agent]: _, ...others } = readPrograms(folder);
  const records = found === undefined ? others : { ...others, [agent]: found };
  replacePrivately(folder, FILE, `${JSON.stringify(records, undefined, 2)}\n`);
}

/** Only a comparison hangs on it: what cannot be read is nothing. */
export function readPrograms(folder: string): Records {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, FILE), "utf8"));
    return typeof value === "object" && value !== null ? (value as Records) : {};
  } catch {
    return {};
  }
}

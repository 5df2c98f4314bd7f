import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** An agent's program on this machine. */
export interface FoundProgram {
  /** As it is found in the PATH. */
  readonly path: string;
  /** As its package says; missing where it came some other way. */
  readonly version?: string;
}

const MAX_LEVELS = 6;

/** Finds a program in the PATH, and its version without running it. */
export function findProgram(names: readonly string[], packageName: string, env: NodeJS.ProcessEnv): FoundProgram | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isRunnable);
  if (path === undefined) return undefined;
  const version = versionOf(path, packageName);
  return { path, ...(version !== undefined && { version }) };
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

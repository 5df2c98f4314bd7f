import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";

const MAX_LENGTH = 4_096;

/** A folder in the form in which an event may name it. */
export function isFolderPath(cwd: unknown): cwd is string {
  return typeof cwd === "string" && cwd.length < MAX_LENGTH && isAbsolute(cwd) && !cwd.includes("\0");
}

/** The folder with every link resolved, even if its last parts no longer exist. */
export function resolveFolder(cwd: string): string {
  try {
    // Like the kernel: a ".." after a link leads up from the link's target.
    return realpathSync.native(cwd);
  } catch {
    const parent = dirname(cwd);
    return parent === cwd ? cwd : join(resolveFolder(parent), basename(cwd));
  }
}

/** The nearest parent with a `.hookline` or `.git`, so that an agent that changes to a subfolder stays in its project; else the folder. */
export function projectFolder(cwd: string): string {
  if (!isFolderPath(cwd)) return "";
  const start = resolveFolder(cwd);
  for (let at = start; dirname(at) !== at; at = dirname(at))
    if ([".hookline", ".git"].some((name) => existsSync(join(at, name)))) return at;
  return start;
}

export function isWithin(folder: string, project: string): boolean {
  return folder === project || folder.startsWith(project.endsWith(sep) ? project : `${project}${sep}`);
}

import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";

const MAX_LENGTH = 4_096;

/** A folder as an event may name it. */
export function isPlace(cwd: unknown): cwd is string {
  return typeof cwd === "string" && cwd.length < MAX_LENGTH && isAbsolute(cwd) && !cwd.includes("\0");
}

/** The folder with every link resolved, also where the last parts of it are gone. */
export function resolvePlace(cwd: string): string {
  try {
    // As the kernel would: a ".." after a link leads up from where the link leads.
    return realpathSync.native(cwd);
  } catch {
    const parent = dirname(cwd);
    return parent === cwd ? cwd : join(resolvePlace(parent), basename(cwd));
  }
}

export function isWithin(place: string, project: string): boolean {
  return place === project || place.startsWith(project.endsWith(sep) ? project : `${project}${sep}`);
}

import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces the file in one go and keeps what it was as `<file>.bak`. Gives the path of that copy; nothing when there was no file. */
export function replaceConfigFile(path: string, text: string): string | undefined {
  const target = resolved(path);
  const stats = statSync(target, { throwIfNoEntry: false });
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const backup = stats === undefined ? undefined : `${target}.bak`;
  if (backup !== undefined) copyFileSync(target, backup);
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode: stats === undefined ? 0o600 : stats.mode & 0o777 });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return backup;
}

// A file kept elsewhere and linked to stays a link.
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

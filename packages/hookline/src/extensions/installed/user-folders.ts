import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { withFix } from "@hookline/core/internal";
import { shellWord } from "@hookline/core/internal/text";
import { guardsOf } from "../guards-of.js";
import { versionOf } from "./folder-version.js";
import { readHookFolder } from "./hook-folder.js";
import { type InstalledHook, rejected } from "./installed-hook.js";

const WORLD_WRITE = 0o002;

/** The user's own hook folders, sorted by name. A link to a folder elsewhere counts, because the user created it. */
export async function readUserFolders(folder: string): Promise<readonly InstalledHook[]> {
  return (await Promise.all(namesIn(folder).map((name) => readUserFolder(folder, name)))).flat();
}

async function readUserFolder(folder: string, name: string): Promise<InstalledHook[]> {
  const path = join(folder, name);
  // Identified by its folder, which does not change with its manifest.
  const shared = { id: `hooks/${name}`, name, kind: "folder", from: "user", path } as const;
  try {
    const stats = statSync(path);
    if (!stats.isDirectory()) return [];
    const version = versionOf(realpathSync(path));
    const fault = faultOf(path, stats);
    const content = await readHookFolder(path, { permissions: "everything" });
    const found = { ...content, ...shared, name: content.name, kind: content.kind, version };
    if (fault === undefined) return [found];
    // Its author is unknown, but what it claims to guard stays closed.
    return [rejected({ ...found, broken: [...content.broken, ...guardsOf(content, path)] }, `${path}: ${fault}`)];
  } catch (error) {
    return [rejected({ ...shared, version: "" }, `${path} cannot be read: ${(error as Error).message}.`)];
  }
}

/** Its content runs with this user's rights. */
function faultOf(path: string, { mode, uid: owner }: Stats): string | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  if ((mode & WORLD_WRITE) !== 0)
    return withFix("every user may write to this folder, and Hookline runs its content.", { run: `chmod o-w ${shellWord(path)}` });
  if (uid !== 0 && owner !== uid && owner !== 0)
    return withFix(`it belongs to user ${owner}, and would run as you.`, "Use a folder of your own.");
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    // Treating it as empty would open what its hooks guard.
    throw new HookError("HL_CONFIG", `The folder of your hooks cannot be read: ${message}.`, { cause });
  }
}

import { dirname, join } from "node:path";
import type { SurfaceFile } from "./surface.js";

/**
 * The files with variables that an agent looks for: beside its settings and in the folder itself, in this folder and in each one above it, then at
 * home. It reads only the first, or the first of each kind. All of them count here: which one is first changes with each new file.
 */
export function envFiles(cwd: string, settingsFolder: string, homes: readonly string[]): readonly SurfaceFile[] {
  const folders = [cwd];
  for (let folder = dirname(cwd); !folders.includes(folder) && folders.length < MAX_FOLDERS; folder = dirname(folder)) folders.push(folder);
  const inFolders = folders.flatMap((folder) => [join(folder, settingsFolder, ".env"), join(folder, ".env")]);
  const atHome = homes.filter((path) => !inFolders.includes(path));
  return [
    ...inFolders.map((path) => ({ path, level: homes.includes(path) ? "user" : "project", syntax: "env" }) as const),
    ...atHome.map((path) => ({ path, level: "user", syntax: "env" }) as const),
  ];
}

const MAX_FOLDERS = 64;

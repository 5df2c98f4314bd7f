import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isPeriod } from "./archive-names.js";
import type { ArchivePlace } from "./archive-place.js";

/** A folder. Files appear whole or not at all, and only their owner can read them. */
export function createFolderPlace(folder: string): ArchivePlace {
  return {
    async put(name, bytes, signal) {
      signal.throwIfAborted();
      const path = join(folder, ...name.split("/"));
      const partial = `${path}.${process.pid}.partial`;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(partial, "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, path);
    },
    async periods() {
      return (await namesIn(folder)).filter(isPeriod);
    },
    async removeFolder(name) {
      const path = join(folder, ...name.split("/"));
      const count = (await namesIn(path)).length;
      await rm(path, { recursive: true, force: true });
      return count;
    },
    close: () => {},
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

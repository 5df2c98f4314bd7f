import { type Dir, lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import type { PastAgent } from "../../agents/agents.js";
import type { Environment } from "../../agents/shared/definition.js";
import type { SessionFolder } from "../../agents/shared/sessions.js";

interface FoundSession {
  readonly path: string;
  readonly bytes: number;
}

export interface FoundSessions {
  readonly files: readonly FoundSession[];
  /** Links and other things that are not files or folders. They are not followed. */
  readonly links: number;
  /** Folders and files that cannot be read. */
  readonly unreadable: number;
}

/** No agent nests deeper. */
const MAX_DEPTH = 8;

/** The session files of an agent that changed since a time, in milliseconds since 1970. */
export function findSessions({ sessions }: PastAgent, env: Environment, since: number): FoundSessions {
  const found = { files: [] as FoundSession[], links: 0, unreadable: 0 };
  for (const folder of sessions.folders(env)) walk(folder, "", 0, since, found);
  return found;
}

type Found = { -readonly [key in keyof FoundSessions]: key extends "files" ? FoundSession[] : FoundSessions[key] };

function walk(folder: SessionFolder, below: string, depth: number, since: number, found: Found): void {
  let entries: Dir | undefined;
  try {
    entries = opendirSync(join(folder.path, below));
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const relative = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && folder.isFlat !== true && depth < MAX_DEPTH) walk(folder, relative, depth + 1, since, found);
      else if (!folder.isSession(relative)) continue;
      else if (!entry.isFile()) found.links++;
      else {
        const path = join(folder.path, relative);
        const parts = ["", ...(folder.besides ?? [])].flatMap((ending) => lstatSync(path + ending, { throwIfNoEntry: false }) ?? []);
        if (parts.some(({ mtimeMs }) => mtimeMs >= since))
          found.files.push({ path, bytes: parts.reduce((sum, { size }) => sum + size, 0) });
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") found.unreadable++;
  } finally {
    entries?.closeSync();
  }
}

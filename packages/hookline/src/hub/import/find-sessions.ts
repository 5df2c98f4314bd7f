import { type Dir, lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition, Environment } from "../../agents/shared/definition.js";
import type { AgentSessions, SessionFolder } from "../../agents/shared/sessions.js";

/** An agent whose sessions can be read. */
export type PastAgent = Pick<AgentDefinition, "id" | "title"> & { readonly sessions: AgentSessions };

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
      if (entry.isDirectory() && depth < MAX_DEPTH) walk(folder, relative, depth + 1, since, found);
      else if (!folder.isSession(relative)) continue;
      else if (!entry.isFile()) found.links++;
      else {
        const path = join(folder.path, relative);
        const { size, mtimeMs } = lstatSync(path);
        if (mtimeMs >= since) found.files.push({ path, bytes: size });
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") found.unreadable++;
  } finally {
    entries?.closeSync();
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";

const FILE = "sessions.json";
const SAVE_MS = 1_000;
const MAX_BYTES = 2 * 1_048_576;

/** Which projects each session has been in. */
export type SessionProjects = Map<string, ReadonlySet<string>>;

export interface SessionProjectsFile {
  /** As they were left by the hub before. */
  readonly notes: SessionProjects;
  /** Writes them down, soon. */
  save(): void;
  close(): void;
}

/** Stored in the state folder, so that a project's guards still apply to a session after the hub restarts. */
export function openSessionProjects(folder: string, onProblem: (text: string) => void): SessionProjectsFile {
  const document = readPrivateJson(folder, FILE);
  if (document === undefined && existsSync(join(folder, FILE)))
    onProblem(`Hookline no longer knows which session belongs to which project: "${join(folder, FILE)}" cannot be read.`);
  const notes = parseNotes(document);
  let pending: NodeJS.Timeout | undefined;

  function write(): void {
    pending = undefined;
    try {
      writePrivateJson(folder, FILE, rowsOf(notes));
    } catch (error) {
      onProblem(`Which sessions were in which project cannot be noted: ${(error as Error).message}. It is forgotten when the hub stops.`);
    }
  }

  return {
    notes,
    save() {
      pending ??= setTimeout(write, SAVE_MS).unref();
    },
    close() {
      if (pending === undefined) return;
      clearTimeout(pending);
      write();
    },
  };
}

/** As many of the latest as have room. */
function rowsOf(notes: SessionProjects): readonly (readonly string[])[] {
  let left = MAX_BYTES;
  const rows = [...notes].map(([id, projects]) => [id, ...projects]).reverse();
  const kept = rows.filter((row) => {
    left -= Buffer.byteLength(JSON.stringify(row));
    return left > 0;
  });
  return kept.reverse();
}

function parseNotes(document: unknown): SessionProjects {
  const rows = Array.isArray(document) ? document : [];
  const isRow = (row: unknown): row is [string, ...string[]] =>
    Array.isArray(row) && row.length > 1 && row.every((text) => typeof text === "string");
  return new Map(rows.filter(isRow).map(([id, ...projects]) => [id, new Set(projects)]));
}

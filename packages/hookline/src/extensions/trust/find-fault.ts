import { posix } from "node:path";
import { pickable } from "../folder/pick-files.js";
import { childEnvironment } from "../process/child-environment.js";
import { MAX_SHOWN_BYTES, textOf } from "./describe-contents.js";
import { contentOf, type ManifestSummary, summarize } from "./manifest-summary.js";
import { findOutsidePaths } from "./outside-paths.js";
import type { ProjectHook } from "./project-hooks.js";
import type { FolderEntry } from "./read-folder.js";

/** Why a hook with these entries cannot be trusted: it could run something else than what is shown. */
export function findFault({ kind, project, name }: ProjectHook, entries: readonly FolderEntry[]): string | undefined {
  if (kind === "config")
    return unshown(
      entries,
      entries.map((entry) => entry.name),
    );
  const summary = summarize(entries);
  return findImpostor(entries) ?? unshown(entries, mainFiles(entries, summary)) ?? wayOut(summary, project, name);
}

/** The files that define what runs, or that run first. */
export function mainFiles(entries: readonly FolderEntry[], summary: ManifestSummary | undefined): readonly string[] {
  if (summary === undefined) return [];
  const named = (summary.command ?? []).map((part) => posix.normalize(part)).filter((part) => isScript(entries, part));
  return [...new Set([summary.file, ...(summary.handler === undefined ? [] : [summary.handler]), ...named])];
}

/** A compiled program is not readable; its hash is shown. */
function isScript(entries: readonly FolderEntry[], name: string): boolean {
  const content = contentOf(entries, name);
  return content !== undefined && textOf(content) !== undefined;
}

function findImpostor(entries: readonly FolderEntry[]): string | undefined {
  for (const { kind, name } of entries) {
    const meant = pickable.find((known) => known.toLowerCase() === name.toLowerCase());
    if (meant === undefined) continue;
    if (kind !== "file") return `its "${name}" is a ${kind}, and must be a file`;
    // Some file systems treat these as the same name.
    if (meant !== name) return `its "${name}" must be called "${meant}"`;
  }
  return undefined;
}

function unshown(entries: readonly FolderEntry[], names: readonly string[]): string | undefined {
  for (const name of names) {
    const content = contentOf(entries, name);
    if (content === undefined || textOf(content) === undefined) return `its "${name}" is not text, so what it does cannot be shown`;
    if (content.length > MAX_SHOWN_BYTES)
      return `its "${name}" has more than ${MAX_SHOWN_BYTES / 1_024} KiB, which is too long to review: move large parts into files beside it`;
  }
  return undefined;
}

function wayOut(summary: ManifestSummary | undefined, project: string, name: string): string | undefined {
  if (summary?.command === undefined) return undefined;
  const [first] = findOutsidePaths(summary.command, { project, searchPath: childEnvironment(process.env).PATH }).unpinned;
  if (first === undefined) return undefined;
  return `its command uses a file outside its folder, which could change after you have consented: "${first}". Put the program into .hookline/hooks/${name} and name it from there, such as ./run.sh`;
}

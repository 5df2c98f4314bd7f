import { posix } from "node:path";
import { pickable } from "../folder/pick-files.js";
import { childEnvironment } from "../process/child-environment.js";
import { MAX_SHOWN_BYTES, textOf } from "./describe-contents.js";
import { contentOf, type ManifestSummary, summarize } from "./manifest-summary.js";
import { findOutsidePaths } from "./outside-paths.js";
import type { ProjectHook } from "./project-hooks.js";
import type { FolderEntry } from "./read-folder.js";

interface HookFault {
  readonly fault: string;
  readonly fix?: string;
}

/** Why a hook with these entries cannot be trusted: it could run something else than what is shown. */
export function findFault({ kind, project, name }: ProjectHook, entries: readonly FolderEntry[]): HookFault | undefined {
  if (kind === "config")
    return unshown(
      entries,
      entries.map((entry) => entry.name),
    );
  const summary = summarize(entries);
  return findImpostor(entries) ?? unshown(entries, mainFiles(entries, summary)) ?? outsideFile(summary, project, name);
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

function findImpostor(entries: readonly FolderEntry[]): HookFault | undefined {
  for (const { kind, name } of entries) {
    const meant = pickable.find((known) => known.toLowerCase() === name.toLowerCase());
    if (meant === undefined) continue;
    if (kind !== "file") return { fault: `its "${name}" is a ${kind}, and must be a file` };
    // Some file systems treat these as the same name.
    if (meant !== name) return { fault: `its "${name}" must be called "${meant}"` };
  }
  return undefined;
}

function unshown(entries: readonly FolderEntry[], names: readonly string[]): HookFault | undefined {
  for (const name of names) {
    const content = contentOf(entries, name);
    if (content === undefined || textOf(content) === undefined)
      return { fault: `its "${name}" is not text, so what it does cannot be shown` };
    if (content.length > MAX_SHOWN_BYTES)
      return {
        fault: `its "${name}" has more than ${MAX_SHOWN_BYTES / 1_024} KiB, which is too long to review`,
        fix: "Move large parts into files beside it.",
      };
  }
  return undefined;
}

function outsideFile(summary: ManifestSummary | undefined, project: string, name: string): HookFault | undefined {
  if (summary?.command === undefined) return undefined;
  const [first] = findOutsidePaths(summary.command, { project, searchPath: childEnvironment(process.env).PATH }).unpinned;
  if (first === undefined) return undefined;
  return {
    fault: `its command uses a file outside its folder, which could change after you have consented: "${first}"`,
    fix: `Put the program into .hookline/hooks/${name} and name it from there, such as ./run.sh`,
  };
}

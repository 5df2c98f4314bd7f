import { inertText } from "@hookline/core/internal/text";
import { unifiedDiff } from "../../config/unified-diff.js";
import { textOf } from "./describe-contents.js";
import type { FolderEntry } from "./read-folder.js";

const MAX_FILE_BYTES = 256 * 1_024;

/** The changes since the consent, escaped and in the form of `diff -u`. */
export function describeChanges(before: readonly FolderEntry[], after: readonly FolderEntry[]): string {
  const [old, next] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...next.keys()])].sort();
  return names
    .flatMap((name) => changeOf(name, old.get(name), next.get(name)))
    .map((line) => inertText(line.replaceAll("\t", "    ")))
    .join("\n");
}

function byName(entries: readonly FolderEntry[]): Map<string, FolderEntry> {
  return new Map(entries.filter(({ kind }) => kind !== "folder").map((entry) => [entry.name, entry]));
}

function changeOf(name: string, before: FolderEntry | undefined, after: FolderEntry | undefined): string[] {
  const mode = modeChange(name, before, after);
  if (isShown(before) && isShown(after))
    return [...mode, ...unifiedDiff(inertText(name), textIn(before), textIn(after)).split("\n").slice(0, -1)];
  return isSame(before, after) ? mode : [...mode, `${name}: it differs; its content is not shown`];
}

function isShown(entry: FolderEntry | undefined): boolean {
  return entry?.kind !== "file" || (entry.content.length <= MAX_FILE_BYTES && textOf(entry.content) !== undefined);
}

function textIn(entry: FolderEntry | undefined): string | undefined {
  if (entry?.kind === "link") return `-> ${entry.target}\n`;
  return entry?.kind === "file" ? textOf(entry.content) : undefined;
}

function isSame(before: FolderEntry | undefined, after: FolderEntry | undefined): boolean {
  return before?.kind === "file" && after?.kind === "file" && before.content.equals(after.content);
}

function modeChange(name: string, before: FolderEntry | undefined, after: FolderEntry | undefined): string[] {
  if (before?.kind !== "file" || after?.kind !== "file" || before.isExecutable === after.isExecutable) return [];
  return [`${name}: it ${after.isExecutable ? "is now executable" : "is no longer executable"}`];
}

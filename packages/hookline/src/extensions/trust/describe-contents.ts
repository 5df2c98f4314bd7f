import { inertText } from "@hookline/core/internal/text";
import type { FolderEntry } from "./read-folder.js";

/** What a person can be expected to look through. */
export const MAX_SHOWN_BYTES = 256 * 1_024;
const MAX_FILE_BYTES = 16 * 1_024;
const MAX_BYTES = 96 * 1_024;

/**
 * What stands in the files, line by line and inert, so that whoever consents has seen what runs. The main files come first and whole; what
 * is too much of the others is named.
 */
export function describeContents(entries: readonly FolderEntry[], mainFiles: readonly string[]): string {
  let left = MAX_BYTES;
  const parts: string[] = [];
  const isMain = ({ name }: FolderEntry): boolean => mainFiles.includes(name);
  for (const entry of [...entries.filter(isMain), ...entries.filter((other) => !isMain(other))]) {
    if (entry.kind !== "file") continue;
    const text = textOf(entry.content);
    const isSmall = entry.content.length <= Math.min(left, MAX_FILE_BYTES);
    const isShown = text !== undefined && (isMain(entry) || isSmall);
    if (isShown && !isMain(entry)) left -= entry.content.length;
    parts.push(isShown ? fileText(entry.name, text) : notShown(entry.name, entry.content.length, text === undefined));
  }
  return parts.join("\n");
}

function fileText(name: string, text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return [`${inertText(name)}:`, ...lines.map((line) => `  | ${inertText(line.replaceAll("\t", "    "))}`)].join("\n");
}

function notShown(name: string, bytes: number, isBinary: boolean): string {
  return `${inertText(name)}: ${bytes} bytes${isBinary ? " that are no text" : ""}, not shown here. Look at it yourself before you consent.`;
}

export function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

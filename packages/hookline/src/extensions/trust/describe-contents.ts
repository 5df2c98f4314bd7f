import { inertText } from "@hookline/core/internal/text";
import type { FolderEntry } from "./read-folder.js";

/** As much as a person can be expected to read. */
export const MAX_SHOWN_BYTES = 256 * 1_024;
const MAX_FILE_BYTES = 16 * 1_024;
const MAX_BYTES = 96 * 1_024;

/**
 * The content of the files, escaped line by line, so that the user sees what runs before consenting. The main files come first and
 * complete; other files that are too large are only named.
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
  return `${inertText(name)}: ${bytes} bytes${isBinary ? " of binary data" : ""}, not shown here. Look at the file before you consent.`;
}

export function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

import { inertText } from "./inert-text.js";
import type { FolderEntry } from "./read-folder.js";

const MAX_FILE_BYTES = 16 * 1_024;
const MAX_BYTES = 96 * 1_024;

/** What stands in the files, line by line and inert, so that whoever consents has seen what runs. What is too much is named. */
export function describeContents(entries: readonly FolderEntry[]): string {
  let left = MAX_BYTES;
  const parts: string[] = [];
  for (const entry of entries) {
    if (entry.kind !== "file") continue;
    const text = textOf(entry.content);
    const isShown = text !== undefined && entry.content.length <= Math.min(left, MAX_FILE_BYTES);
    if (isShown) left -= entry.content.length;
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

/** Nothing for bytes that are no text. */
export function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

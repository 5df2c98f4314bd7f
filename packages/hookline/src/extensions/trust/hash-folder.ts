import { createHash, type Hash } from "node:crypto";
import { type FolderEntry, type FolderLimits, readFolder } from "./read-folder.js";

/** The SHA-256 of a whole folder: names, kinds, executable bits, contents and link targets, but not its location or times. */
export function hashFolder(folder: string, limits?: FolderLimits): string {
  return hashEntries(readFolder(folder, limits));
}

export function hashEntries(entries: readonly FolderEntry[]): string {
  const hash = createHash("sha256").update("hookline folder 1\n");
  for (const entry of entries) {
    add(hash, entry.kind);
    add(hash, entry.name);
    if (entry.kind === "link") add(hash, entry.target);
    if (entry.kind !== "file") continue;
    add(hash, entry.isExecutable ? "x" : "-");
    add(hash, entry.content);
  }
  return hash.digest("hex");
}

export function hashContent(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Each part is preceded by its length, so that no two trees produce the same bytes. */
function add(hash: Hash, part: string | Buffer): void {
  const bytes = typeof part === "string" ? Buffer.from(part) : part;
  hash.update(`${bytes.length}:`).update(bytes);
}

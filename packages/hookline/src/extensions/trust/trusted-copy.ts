import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { isPassing, openFolder } from "@hookline/core/internal/machine";
import { hashEntries, hashFolder } from "./hash-folder.js";
import type { FolderEntry } from "./read-folder.js";

const TRUSTED_FOLDER = "trusted";
const HASH = /^[0-9a-f]{64}$/;

/** Writes the hashed bytes to a folder named after their hash, private and read-only. Returns that folder. */
export function makeTrustedCopy(stateFolder: string, entries: readonly FolderEntry[]): string {
  const hash = hashEntries(entries);
  const folder = join(openFolder(join(openFolder(stateFolder), TRUSTED_FOLDER)), hash);
  if (isIntact(folder, hash)) {
    seal(folder, entries);
    return folder;
  }
  const temporary = `${folder}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    write(temporary, entries);
    removeCopies(folder);
    renameSync(temporary, folder);
    seal(folder, entries);
  } catch (cause) {
    removeCopies(temporary);
    throw new HookError("HL_TRUST_STORE", `The trusted copy "${folder}" cannot be written: ${(cause as Error).message}.`, { cause });
  }
  return folder;
}

/** The copy's folder, after verifying every byte again. Throws `HL_TRUST_STORE` if it is missing or was changed. */
export function openTrustedCopy(stateFolder: string, hash: string): string {
  const folder = join(stateFolder, TRUSTED_FOLDER, hash);
  if (HASH.test(hash) && isIntact(folder, hash)) return folder;
  const message = `The trusted copy "${folder}" is missing or was changed, so it does not run.`;
  throw new HookError("HL_TRUST_STORE", message, { failure: "untrusted", fix: { run: "hookline hooks trust" } });
}

function isIntact(folder: string, hash: string): boolean {
  try {
    return lstatSync(folder).isDirectory() && hashFolder(folder) === hash;
  } catch (error) {
    // Nothing is known about the copy.
    if (isPassing(error)) throw error;
    return false;
  }
}

function write(folder: string, entries: readonly FolderEntry[]): void {
  mkdirSync(folder, { mode: 0o700 });
  // Entries are sorted by name, so a folder comes before its content.
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.kind === "folder") mkdirSync(path, { mode: 0o700 });
    else if (entry.kind === "link") symlinkSync(entry.target, path);
    else writeOne(path, entry.content, entry.isExecutable ? 0o500 : 0o400);
  }
}

function writeOne(path: string, content: Buffer, mode: number): void {
  writeFileSync(path, content, { mode, flag: "wx" });
  chmodSync(path, mode);
}

/** Programs that run from there cannot write beside themselves: they get an error. */
function seal(folder: string, entries: readonly FolderEntry[]): void {
  const folders = entries.flatMap((entry) => (entry.kind === "folder" ? [join(folder, entry.name)] : []));
  for (const path of [...folders, folder]) chmodSync(path, 0o500);
}

/** Removes a folder with read-only copies. Only a user with write permission can remove the content of a folder. */
export function removeCopies(folder: string): void {
  openUp(folder);
  rmSync(folder, { recursive: true, force: true });
}

function openUp(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) openUp(join(folder, entry.name));
}

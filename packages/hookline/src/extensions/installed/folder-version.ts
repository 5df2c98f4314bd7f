import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

interface Bounds {
  readonly maxDepth: number;
  readonly maxEntries: number;
  readonly isNoise: (name: string) => boolean;
}

/** Files that programs write beside their code or while they run. */
const NOISE = new Set(["node_modules", ".git", "__pycache__", ".venv", "venv"]);
const WRITTEN = /\.(log|jsonl|ndjson|db|sqlite3?|pid|tmp|pyc|sw[op])(-\w+)?$|~$/;

const code: Bounds = { maxDepth: 4, maxEntries: 1_000, isNoise: (name) => NOISE.has(name) || WRITTEN.test(name) };
const everything: Bounds = { maxDepth: 32, maxEntries: 10_000, isNoise: () => false };

/** A text that changes with every change of a file or folder of code. It uses only names, sizes and times, and opens no file. */
export function versionOf(path: string): string {
  return describe(path, code);
}

/** The same for a folder in which nothing may change. */
export function stampOf(path: string): string {
  return describe(path, everything);
}

/** For each entry of a folder separately, so that a large entry cannot hide a change of another. */
export function versionsIn(folder: string): string {
  return entriesOf(folder)
    .map(({ name }) => `${name}\n${versionOf(join(folder, name))}`)
    .join("\n");
}

function describe(path: string, bounds: Bounds): string {
  const parts: string[] = [];
  look({ path, name: "", depth: 0 }, bounds, parts);
  return parts.join("\n");
}

interface Place {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}

function look({ path, name, depth }: Place, bounds: Bounds, parts: string[]): void {
  const stats = statsOf(path, depth);
  if (stats === undefined || parts.length >= bounds.maxEntries) return;
  const owner = `${name} ${stats.mode} ${stats.uid}`;
  // The time of a folder is left out: it changes with its entries, which are included anyway, or is noise.
  parts.push(stats.isDirectory() ? owner : `${owner} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`);
  if (!stats.isDirectory() || depth >= bounds.maxDepth) return;
  for (const entry of entriesOf(path))
    if (!bounds.isNoise(entry.name)) look({ path: join(path, entry.name), name: `${name}/${entry.name}`, depth: depth + 1 }, bounds, parts);
}

/** Users who keep hooks elsewhere link to their folders, or to the files in them. */
function statsOf(path: string, depth: number): BigIntStats | undefined {
  try {
    return (depth < 2 ? statSync : lstatSync)(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Files first: the manifest and the handler must not come after a thousand other entries. */
function entriesOf(folder: string): Dirent[] {
  const isFolder = (entry: Dirent): number => Number(entry.isDirectory());
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => isFolder(a) - isFolder(b) || (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

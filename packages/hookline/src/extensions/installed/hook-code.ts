import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { HookError } from "@hookline/core";
import type { CommandHookConfig, HookConfig, ModuleHookConfig } from "../../config/config.js";
import { HOOK_FILE } from "../folder/hook-yaml.js";
import { pickManifest } from "../folder/pick-files.js";
import type { CheckedFiles } from "../handler-source.js";
import { MANIFEST_NAME } from "../process/manifest.js";
import { hashContent, hashEntries } from "../trust/hash-folder.js";
import type { FolderEntry } from "../trust/read-folder.js";
import { stampOf } from "./folder-version.js";

/** What one of the user's own hooks runs: its definition, and every file of it that this user could change. */
export interface HookCode {
  /** Changes with everything that decides what runs, and with nothing else. */
  readonly digest: string;
  /** The files as they were read, for a copy; their names are relative to `root`. */
  readonly entries: readonly FolderEntry[];
  readonly root: string;
  /** Another text when it must be read again. */
  readonly stamp: string;
}

/** A hook folder, or a table of `hookline.toml`. */
export type HookOrigin = { readonly folder: string } | { readonly config: HookConfig };

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1_048_576;
const MAX_DEPTH = 32;

/** Reads what a hook runs. Throws `HL_TRUST_FOLDER` for files that cannot be read or are too many. */
export function readHookCode(origin: HookOrigin): HookCode {
  if ("folder" in origin) return codeOfFolder(origin.folder);
  const { config } = origin;
  switch (config.kind) {
    case "extension":
      return codeOfFolder(config.folder, { config: config.config });
    case "module":
      return codeOfModule(config);
    case "command":
      return codeOfCommand(config);
    case "url": {
      const { url, headers, dialect } = config;
      const secret = typeof url === "object" && "file" in url && existsSync(url.file) ? hashContent(readFileSync(url.file)) : undefined;
      return codeOf({ url, headers, dialect, secret }, { root: dirname(config.file), entries: [] });
    }
  }
}

/** Another text when a hook's files may have changed. Opens none of them. */
export function codeStamp(code: HookCode, origin: HookOrigin): string {
  if ("folder" in origin) return stampOf(origin.folder);
  return origin.config.kind === "extension" ? stampOf(origin.config.folder) : stampOfFiles(code);
}

/** What a program may load: the files that were read, as long as `since` none of them was touched. */
export function checkedFiles({ root, entries }: Files, isWhole: boolean, since?: CheckedFiles): CheckedFiles | undefined {
  const stamp = stampOfFiles({ root, entries });
  if (since !== undefined) return since.stamp === stamp ? since : undefined;
  return { root, isWhole, hashes: hashesOf(entries), stamp };
}

const known = new WeakMap<readonly FolderEntry[], CheckedFiles["hashes"]>();

/** Once for the files as they were read: an extension may have thousands. */
function hashesOf(entries: readonly FolderEntry[]): CheckedFiles["hashes"] {
  const found = known.get(entries);
  if (found !== undefined) return found;
  const hashes = Object.fromEntries(entries.flatMap((entry) => (entry.kind === "file" ? [[entry.name, hashContent(entry.content)]] : [])));
  known.set(entries, hashes);
  return hashes;
}

type Files = Pick<HookCode, "root" | "entries">;

function stampOfFiles({ root, entries }: Files): string {
  return entries.flatMap(({ kind, name }) => (kind === "file" ? stampOf(join(root, name)) : [])).join("\n");
}

function codeOf(definition: object, { root, entries }: Files, counted = entries): HookCode {
  const hash = createHash("sha256").update("hookline code 1\n").update(JSON.stringify(definition)).update(hashEntries(counted));
  return { digest: hash.digest("hex"), entries, root, stamp: stampOfFiles({ root, entries }) };
}

/** Files that programs write while they run, and that none of them loads as code. */
const DATA = /\.(log|jsonl|ndjson|db|sqlite3?|pid|tmp|sw[op])(-\w+)?$|~$/;
const SKIPPED = new Set([".git"]);

/** A HOOK.yaml says when a hook is asked, not what runs. An extension.json says both. */
function codeOfFolder(folder: string, more: object = {}): HookCode {
  const stamp = stampOf(folder);
  const root = realOr(folder);
  const reading: Reading = { root, entries: [], bytes: 0 };
  readInto(reading, "", 0);
  const entries = reading.entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const manifest = pickManifest((name) => entries.some((entry) => entry.name === name));
  const counted = entries.filter(({ name }) => name !== HOOK_FILE && name !== MANIFEST_NAME);
  const program = manifest === MANIFEST_NAME ? programIn(entries) : undefined;
  return { ...codeOf({ manifest, program, ...more }, { root, entries }, counted), stamp };
}

/** Which program an extension.json starts, and what it hands to it. */
function programIn(entries: readonly FolderEntry[]): object | string {
  const found = entries.find(({ name }) => name === MANIFEST_NAME);
  const text = found?.kind === "file" ? found.content.toString("utf8") : "";
  try {
    const { command, args, env, framing, config } = JSON.parse(text) as { readonly [key: string]: unknown };
    return { command, args, env, framing, config };
  } catch {
    return text;
  }
}

interface Reading {
  readonly root: string;
  readonly entries: FolderEntry[];
  bytes: number;
}

function readInto(reading: Reading, folder: string, depth: number): void {
  if (depth > MAX_DEPTH) throw unfit(reading.root, `is nested deeper than ${MAX_DEPTH} folders`);
  for (const part of namesIn(reading.root, folder)) {
    const name = folder === "" ? part : `${folder}/${part}`;
    if (SKIPPED.has(part) || DATA.test(part)) continue;
    if (reading.entries.length >= MAX_FILES) throw unfit(reading.root, `has more than ${MAX_FILES} files`);
    const path = join(reading.root, name);
    // A link counts as what it leads to: users link to files that they keep elsewhere.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      reading.entries.push({ kind: "folder", name });
      readInto(reading, name, depth + 1);
    } else if (stats?.isFile()) {
      reading.bytes += stats.size;
      if (reading.bytes > MAX_BYTES) throw unfit(reading.root, `has more than ${MAX_BYTES / 1_048_576} MiB`);
      reading.entries.push(fileEntry(path, name));
    }
  }
}

function namesIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder)).sort();
  } catch (cause) {
    throw unfit(root, `cannot be read: ${(cause as Error).message}`, cause);
  }
}

function fileEntry(path: string, name: string): FolderEntry {
  try {
    return { kind: "file", name, isExecutable: (statSync(path).mode & 0o111) !== 0, content: readFileSync(path) };
  } catch (cause) {
    throw unfit(dirname(path), `has a "${basename(path)}" that cannot be read: ${(cause as Error).message}`, cause);
  }
}

const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+|\/[^"'\n]+|file:[^"'\n]+)["']/g;
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", "/index.js", "/index.ts"];

/** The module, and what it and its imports load by a path. */
function codeOfModule({ module, export: exported }: ModuleHookConfig): HookCode {
  const paths = new Map<string, Buffer>();
  const queue = [module];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (paths.has(path) || !isFile(path)) continue;
    if (paths.size >= MAX_FILES) throw unfit(dirname(module), `has a module that imports more than ${MAX_FILES} files`);
    const content = readFileSync(path);
    paths.set(path, content);
    for (const [, specifier = ""] of content.toString("utf8").matchAll(SPECIFIER)) {
      const from = resolve(dirname(path), specifier.replace(/^file:(\/\/)?/, ""));
      const found = ENDINGS.map((ending) => `${from}${ending}`).find(isFile);
      if (found !== undefined) queue.push(found);
    }
  }
  return codeOf({ export: exported }, filesAt([...paths.keys()], dirname(module)));
}

/** The program and the arguments that are files, if this user can change them. */
function codeOfCommand(config: CommandHookConfig): HookCode {
  const { command, args, shell, dialect, cwd, env, setEnv, file } = config;
  const paths = [...new Set(wordsOf(config).flatMap((word) => fileOf(word, config) ?? []))];
  return codeOf({ command, args, shell, dialect, cwd, env, setEnv }, filesAt(paths, dirname(file)));
}

/** The same command with the files of a copy. */
export function commandIn(config: CommandHookConfig, root: string, copy: string): CommandHookConfig {
  const moved = (word: string): string => {
    const path = fileOf(word, config);
    const inside = path === undefined ? "" : join(copy, relative(root, path));
    return inside !== "" && existsSync(inside) ? inside : word;
  };
  const { command, args = [], shell } = config;
  const line = shell === true ? command.split(/(\s+)/).map(moved).join("") : moved(command);
  return { ...config, command: line, ...(args.length > 0 && { args: args.map(moved) }) };
}

function wordsOf({ command, args = [], shell }: CommandHookConfig): string[] {
  return [...(shell === true ? command.split(/[\s;&|<>()"']+/) : [command]), ...args];
}

function fileOf(word: string, { file, cwd, command, shell }: CommandHookConfig): string | undefined {
  const isBare = shell !== true && word === command && !/[\\/]/.test(word);
  if (isBare || word === "") return undefined;
  const base = cwd === undefined || cwd === "event" ? dirname(file) : cwd;
  const path = word.startsWith("~/") ? join(homedir(), word.slice(2)) : isAbsolute(word) ? word : resolve(base, word);
  return isFile(path) && isWritable(path) ? realOr(path) : undefined;
}

function filesAt(paths: readonly string[], folder: string): Files {
  const root = paths.reduce((common, path) => sharedFolder(common, dirname(path)), realOr(folder));
  const names = paths.map((path) => relative(root, path).split(sep).join("/"));
  const folders = new Set(names.flatMap(parentsOf));
  const entries: FolderEntry[] = [
    ...[...folders].map((name): FolderEntry => ({ kind: "folder", name })),
    ...paths.map((path, index) => fileEntry(path, names[index] ?? basename(path))),
  ];
  return { root, entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function parentsOf(name: string): string[] {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function sharedFolder(a: string, b: string): string {
  const [left, right] = [a.split(sep), b.split(sep)];
  const different = left.findIndex((part, index) => part !== right[index]);
  return different < 0 ? a : left.slice(0, different).join(sep) || sep;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function unfit(folder: string, what: string, cause?: unknown): HookError {
  return new HookError("HL_TRUST_FOLDER", `The hook "${folder}" ${what}, so it cannot be accepted.`, {
    failure: "untrusted",
    ...(cause !== undefined && { cause }),
  });
}

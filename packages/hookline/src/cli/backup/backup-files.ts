import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createReadStream,
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { stateFolder } from "@hookline/core/internal/machine";
import { configPath } from "../../config/config-path.js";
import { CliError } from "../cli-error.js";
import { storePath } from "../verify/verify-transcript-file.js";

export const MANIFEST = "backup.json";
export const STORE = "events.db";

/**
 * What the state folder holds beside the store: consent, the accepted policy, what people allowed for good, what rules count, the heads of the
 * record, the public keys of phones. Pauses, and reminders that wait for a session, are in memory and end with the hub.
 */
const STATE_FILES = [
  "trust.json",
  "policy.json",
  "policy.sha256",
  "always-allow.json",
  "decision-heads.json",
  "rule-state.log",
  "alarms.json",
  "phones.json",
];
/** A program that has these can answer for the hub, or as an agent. */
const KEY_FILES = ["attach/key", "page-name.json", "protect.json", "push.json"];

/** What is also of use to a hub that did not make the backup. The other files of the state folder say what a person here has allowed. */
const FOR_ANY_HUB = ["decision-heads.json"];

/** What a backup is. `files`: by their path in it, with a SHA-256. */
export interface Manifest {
  readonly v: 1;
  readonly at: string;
  readonly version: string;
  readonly schema: number;
  readonly keys: boolean;
  readonly files: { readonly [path: string]: string };
  /** Proves that a hub with these folders made it, and that nothing in it was changed. */
  readonly seal?: string;
}

/** Where the parts of a backup belong on this machine. */
export interface Places {
  readonly store: string;
  readonly config: string;
  readonly state: string;
}

export async function placesOf(env: NodeJS.ProcessEnv): Promise<Places> {
  return { store: await storePath(undefined, env), config: dirname(configPath(env)), state: stateFolder(env) };
}

/** The files to copy, by their path in the backup. The store is written by SQLite. */
export function filesToCopy({ config, state }: Places, withKeys: boolean): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of filesBelow(config)) if (withKeys || !path.endsWith(".pem")) found.set(join("config", relative(config, path)), path);
  for (const name of [...STATE_FILES, ...(withKeys ? KEY_FILES : [])]) {
    const path = join(state, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) found.set(join("state", name), path);
  }
  return found;
}

/** Whether a file may be put back although another hub made the backup: it holds no consent, nothing that was accepted, and no key. */
export function isForAnyHub(name: string): boolean {
  return name === STORE || name.startsWith("config/") || FOR_ANY_HUB.some((file) => name === `state/${file}`);
}

/** Links and sockets are left out: a link could lead anywhere. */
function filesBelow(folder: string): string[] {
  return entriesBelow(folder, (entry) => entry.isFile());
}

/** What a backup lacks of the configuration. */
export function linksBelow(folder: string): string[] {
  return entriesBelow(folder, (entry) => entry.isSymbolicLink());
}

function entriesBelow(folder: string, isWanted: (entry: Dirent) => boolean): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(isWanted)
    .map((entry) => join(entry.parentPath, entry.name));
}

/** For its owner alone. The program of a hook stays one: its consent says that it is. */
export function copyForOwner(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
  chmodSync(to, (statSync(from).mode & 0o100) === 0 ? 0o600 : 0o700);
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** The same in one go: between a file that was put back and the look at it, nothing else happens here. */
export function hashOfFile(path: string): string {
  const hash = createHash("sha256");
  const part = Buffer.allocUnsafe(1_048_576);
  const file = openSync(path, "r");
  try {
    for (let size = readSync(file, part); size > 0; size = readSync(file, part)) hash.update(part.subarray(0, size));
    return hash.digest("hex");
  } finally {
    closeSync(file);
  }
}

const STATE_PATHS = new Set([...STATE_FILES, ...KEY_FILES].map((name) => `state/${name}`));

/** A path that leads out of the folders would overwrite any file of the user. On Windows, a backslash separates folders, too. */
function isInConfig(name: string): boolean {
  return name.startsWith("config/") && name.split(/[\\/]/).every((part) => !["", ".", ".."].includes(part));
}

export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  const wrong = (why: string) =>
    new CliError(`"${folder}" is not a backup of Hookline: ${why}.`, { fix: { run: "hookline backup --help" } });
  if (!existsSync(path)) throw wrong(`there is no ${MANIFEST} in it`);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  } catch {
    throw wrong(`${MANIFEST} is not JSON`);
  }
  const { v, at, version, schema, files, seal = "" } = (manifest ?? {}) as { readonly [Key in keyof Manifest]?: unknown };
  const isOurs =
    v === 1 && typeof schema === "number" && [at, version, seal].every((text) => typeof text === "string") && Object(files) === files;
  const isInside = isOurs && Object.keys(manifest.files).every((name) => name === STORE || isInConfig(name) || STATE_PATHS.has(name));
  if (!isInside) throw wrong(`${MANIFEST} is not what \`hookline backup\` writes`);
  return manifest;
}

/** The files of a backup that are missing, or not what they were. */
export async function faultsOf(folder: string, { files }: Manifest): Promise<string[]> {
  const faults: string[] = [];
  const root = realpathSync(folder);
  for (const [name, hash] of Object.entries(files)) {
    const path = join(root, name);
    // What a link leads to was not backed up, also where the link is a folder above.
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile() || realpathSync(path) !== path) faults.push(`${name} is missing`);
    else if ((await hashOf(path)) !== hash) faults.push(`${name} was changed`);
  }
  return faults;
}

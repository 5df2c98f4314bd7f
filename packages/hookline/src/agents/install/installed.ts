import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { openFolder, replacePrivately } from "@hookline/core/internal/machine";
import type { Container, OurHooks } from "./remove-hooks.js";
import type { NeededSetting } from "./toml-hooks.js";

/** One file that contains our entries. */
export interface Installed extends OurHooks {
  readonly agent: string;
  /** `user`, `project` or `managed`. */
  readonly scope: string;
  readonly path: string;
  /** The hash of the file without our entries. Null if there was no file. */
  readonly before: string | null;
  /** The hash of the file as we wrote it. */
  readonly after: string;
  /** The file without our entries, in the backups folder. */
  readonly backup: string | null;
  /** Our entries. */
  readonly entries: { readonly [event: string]: readonly unknown[] };
  /** The other content of a file that is ours alone. Null for entries among others'. */
  readonly own: { readonly [key: string]: unknown } | null;
  readonly containers: readonly Container[];
  /** Settings besides `hooks` that were added. A file in TOML has them between our comments. */
  readonly settings?: readonly NeededSetting[];
  /** The folders that were created for the file. */
  readonly folders: readonly string[];
  /** The event, for one of several files of an agent. The main file has none. */
  readonly part?: string;
  /** The script that the entries run, and its hash. Records of older versions do not have it. */
  readonly client?: { readonly name: string; readonly hash: string };
}

export const RECORD_FILE = "installed.json";
const BACKUPS = "backups";

/**
 * What the agents' files contain, according to the record in the folder `attach` of the state folder. Throws `HL_AGENT_FILE` for a malformed
 * record.
 */
export function readInstalled(folder: string): readonly Installed[] {
  const path = join(folder, RECORD_FILE);
  try {
    const { version, installed } = JSON.parse(readFileSync(path, "utf8")) as { version: unknown; installed: unknown };
    if (version === 1 && Array.isArray(installed) && installed.every(isInstalled)) return installed;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unusable(path, cause);
  }
  throw unusable(path);
}

export function findInstalled(folder: string, path: string): Installed | undefined {
  return readInstalled(folder).find((one) => one.path === path);
}

/** Records what a file now contains. Removes the entry of a file that no longer contains our entries. */
export function noteInstalled(folder: string, path: string, entry: Installed | undefined): void {
  const others = readInstalled(folder).filter((one) => one.path !== path);
  const installed = entry === undefined ? others : [...others, entry];
  replacePrivately(openFolder(folder), RECORD_FILE, `${JSON.stringify({ version: 1, installed }, undefined, 2)}\n`);
}

/** Stores a private copy of a file's text, and returns its name. */
export function keepBackup(folder: string, { agent, scope, path }: Pick<Installed, "agent" | "scope" | "path">, text: string): string {
  const name = `${agent}-${scope}-${hashOf(`${path}\0${text}`).slice(0, 16)}.bak`;
  replacePrivately(openFolder(join(openFolder(folder), BACKUPS)), name, text);
  return name;
}

/** The stored text, if it is unchanged. */
export function readBackup(folder: string, { backup, before }: Pick<Installed, "backup" | "before">): string | undefined {
  if (backup === null) return undefined;
  try {
    const text = readFileSync(join(folder, BACKUPS, backup), "utf8");
    return hashOf(text) === before ? text : undefined;
  } catch {
    return undefined;
  }
}

export function dropBackup(folder: string, backup: string | null): void {
  if (backup !== null) rmSync(join(folder, BACKUPS, backup), { force: true });
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isInstalled(value: unknown): value is Installed {
  if (typeof value !== "object" || value === null) return false;
  const { agent, scope, path, after, marks, syntax, containers, folders } = value as { [key: string]: unknown };
  const areTexts = [agent, scope, path, after].every((one) => typeof one === "string");
  return areTexts && [marks, containers, folders].every(Array.isArray) && typeof syntax === "object" && syntax !== null;
}

function unusable(path: string, cause?: unknown): HookError {
  return new HookError("HL_AGENT_FILE", `"${path}" is not a record of attached agents.`, {
    fix: "Move it away: Hookline then recognizes its entries by what they run.",
    cause,
  });
}

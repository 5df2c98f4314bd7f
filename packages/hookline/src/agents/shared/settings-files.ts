import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import { readRegularFile } from "../../machine/regular-file.js";
import { readSettings as settingsOf, withoutSetting } from "../install/json-document.js";
import type { OffSwitch } from "./definition.js";
import { isObject, type Json } from "./native-payload.js";

/** One of the files in which an agent looks for its settings. */
export interface SettingsFile {
  readonly path: string;
  /** Empty if the file is missing or malformed. */
  readonly settings: Json;
  /** Why Hookline cannot know what the agent reads there. */
  readonly fault?: string;
}

/** The folders of a project in which agents look for files: the folder itself, and those above it up to the root of the repository. */
export function projectFolders(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, ".git")) && dirname(folder) !== folder; folder = dirname(folder))
    folders.push(dirname(folder));
  // Without a repository, only the folder itself is the project.
  return existsSync(join(folders.at(-1) ?? cwd, ".git")) ? folders : [cwd];
}

/** The text of a file that an agent reads, too. Empty if there is none, or if the user may not read it: then the agent reads nothing either. */
export function readSettingsText(path: string): { readonly text: string; readonly fault?: string } {
  const file = readRegularFile(path);
  if (file === undefined) return { text: "" };
  if (!("fault" in file)) return { text: file.bytes.toString("utf8") };
  return file.isDenied ? { text: "" } : { text: "", fault: mayBeOff(path, file.fault) };
}

/** What a file that is there and cannot be read means for the hooks. */
function mayBeOff(path: string, fault: string): string {
  return `${path} may switch hooks off, and Hookline cannot read it: ${fault}`;
}

/** Reads files of settings, comments and all. */
export function readSettingsFiles(paths: readonly string[]): SettingsFile[] {
  return [...new Set(paths)].map((path) => {
    const { text, ...rest } = readSettingsText(path);
    const value: unknown = parse(text.replace(/^\ufeff/, ""));
    return { path, settings: isObject(value) ? value : {}, ...rest };
  });
}

/** With a value of another type, Claude Code does not load the file at all, so its hooks do not run either. */
export function isSwitchedOff({
  disableAllHooks: value,
}: {
  readonly [key: string]: unknown;
  readonly disableAllHooks?: unknown;
}): boolean {
  return value !== undefined && value !== false;
}

/** A file of settings in which `disableAllHooks` switches off all hooks. */
export function allHooksSwitch(path: string): OffSwitch {
  return {
    path,
    says: 'runs no hook, because its settings say "disableAllHooks"',
    isOff: (text) => isSwitchedOff((settingsOf(text) as Json | undefined) ?? {}),
    turnedOn: (text) => withoutSetting(text, ["disableAllHooks"]),
  };
}

/** A file that the agent ignores because of a value in it: only the text with which the hooks ran is known to be good. */
export function rejectedFile(
  path: string,
  isOff: (text: string) => boolean,
  says = "runs no hook of this file, because it does not accept a value in it",
): OffSwitch {
  return { path, says, isOff, turnedOn: (text, good) => good || text };
}

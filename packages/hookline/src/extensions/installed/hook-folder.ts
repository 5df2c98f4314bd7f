import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { BrokenGuard, DialectName } from "../../config/config.js";
import { formatProblem } from "../../config/problem.js";
import { everyPermission } from "../../rules/default-failure.js";
import { deriveSource } from "../derive-source.js";
import { loadFolderHook } from "../folder/folder-hook.js";
import { HOOK_FILE } from "../folder/hook-yaml.js";
import { pickManifest } from "../folder/pick-files.js";
import type { HookSpec, OpenSource } from "../handler-source.js";
import { MANIFEST_NAME, readExtensionManifest } from "../process/manifest.js";
import { programOf } from "../process/manifest-program.js";
import { createProcessExtension } from "../process/process-extension.js";
import { checkRegistration } from "./check-registration.js";
import type { InstalledHook } from "./installed-hook.js";

/** The content of a hook folder. The caller knows its owner and location. */
export type FolderContent = Pick<
  InstalledHook,
  "name" | "kind" | "state" | "manifest" | "hooks" | "dialect" | "problems" | "remarks" | "broken" | "permissions" | "open"
>;

export interface FolderOptions {
  /** Its permissions if it names none. */
  readonly permissions: "everything" | "nothing";
  /** Replaces the name in its manifest. */
  readonly name?: string;
  /** For a process extension. */
  readonly settings?: { readonly [key: string]: unknown };
}

/** Reads a hook folder: a HOOK.yaml and a handler, or an extension.json and a program. */
export async function readHookFolder(folder: string, { permissions, settings, name }: FolderOptions): Promise<FolderContent> {
  const manifest = pickManifest((file) => existsSync(join(folder, file)));
  const { open, hooks, isEnabled, ...read } = await readers[manifest ?? "none"](folder, { settings, name });
  const shared = {
    ...read,
    ...(manifest !== undefined && { manifest: join(folder, manifest) }),
    name: name ?? read.name ?? basename(folder).replaceAll(/\s+/g, "-"),
  };
  if (!isEnabled) return { ...shared, state: "disabled", hooks, permissions: [], broken: [] };
  if (open === undefined) return { ...shared, state: "broken", hooks: [], permissions: [] };
  const source = open();
  const granted = source.permissions ?? (permissions === "everything" ? everyPermission : []);
  const taken = checkRegistration(source, granted, folder);
  return {
    ...shared,
    state: taken.hooks.length === 0 ? "broken" : "active",
    hooks: taken.hooks,
    permissions: granted,
    problems: [...read.problems, ...taken.problems],
    broken: [...read.broken, ...taken.broken],
    ...(taken.hooks.length > 0 && { open: (_, check) => deriveSource(open(check), { hooks: taken.hooks }) }),
  };
}

interface Read {
  readonly name?: string | undefined;
  readonly kind: "folder" | "process";
  readonly hooks: readonly HookSpec[];
  readonly isEnabled: boolean;
  readonly open: OpenSource | undefined;
  readonly problems: readonly string[];
  readonly dialect?: DialectName;
  readonly remarks?: readonly string[];
  readonly broken: readonly BrokenGuard[];
}

const readers = { [MANIFEST_NAME]: readProcess, [HOOK_FILE]: readHandler, none: noManifest };

interface Given {
  readonly settings: FolderOptions["settings"];
  readonly name: string | undefined;
}

async function readProcess(folder: string, { settings, name }: Given): Promise<Read> {
  const { manifest: read, problems, remarks, broken } = await readExtensionManifest(folder);
  const manifest = read && { ...read, name: name ?? read.name };
  const isEnabled = manifest?.enabled ?? true;
  return {
    name: manifest?.name,
    kind: "process",
    hooks: manifest?.hooks ?? [],
    isEnabled,
    open:
      manifest === undefined || !isEnabled
        ? undefined
        : (check) => createProcessExtension({ program: { ...programOf(manifest, settings), check } }),
    problems: problems.map(formatProblem),
    remarks: remarks.map(formatProblem),
    broken,
  };
}

async function readHandler(folder: string, { name }: Given): Promise<Read> {
  const { manifest, open, problems, remarks, broken } = await loadFolderHook(folder, { name });
  return {
    name: manifest?.name,
    kind: "folder",
    hooks: manifest?.hooks ?? [],
    isEnabled: manifest?.enabled ?? true,
    open,
    ...(manifest?.dialect !== undefined && { dialect: manifest.dialect }),
    problems: problems.map(formatProblem),
    remarks: remarks.map(formatProblem),
    broken,
  };
}

async function noManifest(folder: string): Promise<Read> {
  const problem = `${folder}: there is neither a ${HOOK_FILE} nor an ${MANIFEST_NAME}. To make a hook: hookline hooks new my-hook`;
  return { kind: "folder", hooks: [], isEnabled: true, open: undefined, problems: [problem], broken: [] };
}

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrokenGuard } from "../../config/config.js";
import type { ConfigProblem } from "../../config/problem.js";
import { createCommandSource } from "../command/command-source.js";
import { guardsOf } from "../guards-of.js";
import type { OpenSource, OwnedSource, StartCheck } from "../handler-source.js";
import { createModuleSource } from "../module/module-source.js";
import { createProcessExtension } from "../process/process-extension.js";
import type { ProcessProgram } from "../process/program.js";
import type { Tuning } from "../process/tuning.js";
import { readCommandAnswer } from "./command-answer.js";
import { hermesEventType, readHermesAnswer } from "./hermes-folder.js";
import { type FolderManifest, readFolderManifest } from "./hook-yaml.js";
import { handlerFiles, pickHandler } from "./pick-files.js";

export interface FolderHook {
  readonly manifest: FolderManifest | undefined;
  /** Missing if the folder cannot be used, or is switched off. */
  readonly open: OpenSource | undefined;
  readonly problems: readonly ConfigProblem[];
  /** A remark on how it is read, if that is not obvious. */
  readonly remarks: readonly ConfigProblem[];
  /** What it would have guarded, if it cannot be used. */
  readonly broken: readonly BrokenGuard[];
}

export interface FolderHookOptions {
  readonly tuning?: Partial<Tuning>;
  /** Replaces the name in its manifest. */
  readonly name?: string | undefined;
}

const runner = fileURLToPath(new URL("../../../python/hookline_runner.py", import.meta.url));

/** Reads a hook folder. None of its code runs before the first event. */
export async function loadFolderHook(folder: string, { tuning = {}, name }: FolderHookOptions = {}): Promise<FolderHook> {
  const handler = pickHandler((file) => existsSync(join(folder, file)));
  const { manifest: read, problems, remarks, broken } = await readFolderManifest(folder, handler);
  const manifest = read && { ...read, name: name ?? read.name };
  if (manifest === undefined || !manifest.enabled) return { manifest, open: undefined, problems, remarks, broken };
  if (handler === undefined)
    return { manifest, open: undefined, problems: [...problems, noHandler(manifest)], remarks, broken: guardsOf(manifest, manifest.file) };
  return { manifest, open: (check) => createSource(manifest, handler, { tuning, check }), problems, remarks, broken };
}

interface Opening {
  readonly tuning: Partial<Tuning>;
  readonly check: StartCheck | undefined;
}

function createSource(manifest: FolderManifest, handler: string, { tuning, check }: Opening): OwnedSource {
  const path = join(manifest.folder, handler);
  if (handler.endsWith(".sh")) return createShellHandler(manifest, path, check);
  const isHermes = manifest.dialect === "hermes";
  const options = {
    tuning,
    readAnswer: isHermes ? readHermesAnswer : readCommandAnswer,
    ...(isHermes && { nameEvent: hermesEventType }),
  };
  if (handler.endsWith(".py"))
    return createProcessExtension({ ...options, program: { ...pythonProgram(manifest), check }, kind: "folder" });
  const { name, hooks, description, permissions, file } = manifest;
  const given = { ...(description !== undefined && { description }), ...(permissions !== undefined && { permissions }) };
  return createModuleSource({ name, hooks, path: file, ...given, check, module: path, export: "handle", style: "folder" }, options);
}

/** One long-lived Python process for the folder: one start takes longer than a thousand events. */
function pythonProgram({ name, description, file, folder, permissions, hooks, dialect }: FolderManifest): ProcessProgram {
  return {
    name,
    path: file,
    hooks,
    command: "python3",
    // Writes no byte code beside the user's files, and does not buffer output.
    args: ["-B", "-u", runner, folder, dialect ?? "own"],
    folder,
    framing: "newline",
    config: (_, checked) => ({ ...checked }),
    ...(description !== undefined && { description }),
    ...(permissions !== undefined && { permissions }),
  };
}

function noHandler({ file, folder, name }: FolderManifest): ConfigProblem {
  const message = `The hook "${name}" has no handler: put ${handlerFiles.join(", ")} into ${folder}.`;
  return { file, line: 1, column: 1, key: "", message };
}

/**
 * A hook folder whose handler is a shell script. The script runs once per event and uses our own dialect or that of Hermes' shell hooks.
 */
function createShellHandler(manifest: FolderManifest, path: string, check: StartCheck | undefined): OwnedSource {
  const { name, description, file, permissions, hooks, dialect } = manifest;
  const source = createCommandSource({
    name,
    check,
    command: "/bin/sh",
    args: [basename(path)],
    script: basename(path),
    folder: dirname(path),
    hooks,
    path: file,
    ...(description !== undefined && { description }),
    ...(dialect !== undefined && { dialect }),
  });
  return { ...source, kind: "folder", ...(permissions !== undefined && { permissions }) };
}

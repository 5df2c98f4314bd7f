import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConfigProblem } from "../../config/problem.js";
import { createProcessExtension, type ProcessExtension } from "../process/process-extension.js";
import type { ProcessProgram } from "../process/program.js";
import type { Tuning } from "../process/tuning.js";
import { readCommandAnswer } from "./command-answer.js";
import { type FolderManifest, readFolderManifest } from "./hook-yaml.js";
import { createModuleHandler, type ModuleHandler } from "./module-handler.js";

export interface FolderHook {
  readonly manifest: FolderManifest | undefined;
  /** Nothing when the folder cannot be used, or is switched off. */
  readonly source: (ModuleHandler | ProcessExtension) | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** In this order: where a folder has several, the first is its handler. */
const HANDLERS = ["handler.ts", "handler.js", "handler.mjs", "handler.py"];
const runner = fileURLToPath(new URL("../../../python/hookline_runner.py", import.meta.url));

/** Reads a hook folder. No code of it runs before the first event. */
export async function loadFolderHook(folder: string, tuning: Partial<Tuning> = {}): Promise<FolderHook> {
  const { manifest, problems } = await readFolderManifest(folder);
  if (manifest === undefined || !manifest.enabled) return { manifest, source: undefined, problems };
  const handler = HANDLERS.find((name) => existsSync(join(manifest.folder, name)));
  if (handler === undefined) return { manifest, source: undefined, problems: [...problems, noHandler(manifest)] };
  return { manifest, source: createSource(manifest, handler, tuning), problems };
}

function createSource(manifest: FolderManifest, handler: string, tuning: Partial<Tuning>): ModuleHandler | ProcessExtension {
  if (!handler.endsWith(".py")) return createModuleHandler(manifest, join(manifest.folder, handler));
  return createProcessExtension({ program: pythonProgram(manifest), kind: "folder", tuning, readAnswer: readCommandAnswer });
}

/** One long-lived Python for the folder: a start costs more than a thousand events. */
function pythonProgram({ name, description, file, folder, permissions, hooks }: FolderManifest): ProcessProgram {
  return {
    name,
    path: file,
    hooks,
    command: "python3",
    // Without byte code beside the user's files, and nothing held back in a buffer.
    args: ["-B", "-u", runner, folder],
    folder,
    framing: "newline",
    ...(description !== undefined && { description }),
    ...(permissions !== undefined && { permissions }),
  };
}

function noHandler({ file, folder, name }: FolderManifest): ConfigProblem {
  const message = `The hook "${name}" has no handler: put ${HANDLERS.join(", ")} into ${folder}.`;
  return { file, line: 1, column: 1, key: "", message };
}

import { basename, dirname, join, resolve } from "node:path";
import { didYouMean } from "@hookline/core/internal/text";
import { z } from "zod";
import type { BrokenGuard } from "../../config/config.js";
import type { ConfigProblem } from "../../config/problem.js";
import { timeLimitOrNone } from "../../config/schema/amounts.js";
import { assumedGuard, brokenGuard } from "../../config/schema/broken-guard.js";
import { quoteKey } from "../../config/schema/explain.js";
import { goodEvents, refusePaths } from "../../config/schema/match-values.js";
import { isTable } from "../../config/schema/read-table.js";
import { flag, label } from "../../config/schema/values.js";
import type { HookSpec } from "../handler-source.js";
import { checkStage, eventName, given, hookFields, permissionList } from "../hook-fields.js";
import { checkManifest, type ManifestFile, parseManifest, readManifestFile } from "../manifest-file.js";
import { sharedNames } from "../shared-names.js";
import { asHermesReads, dialectOf, FAILS_OPEN, neededFor, takesAnswers } from "./folder-dialect.js";
import { hermesEvents } from "./hermes-folder.js";

export const HOOK_FILE = "HOOK.yaml";

/** The content of a `HOOK.yaml`. */
export interface FolderManifest {
  readonly file: string;
  readonly folder: string;
  readonly name: string;
  readonly description?: string;
  /** Missing if the file names none. In Hermes' dialect, which has no such key: the permissions that its events need. */
  readonly permissions?: readonly string[];
  readonly enabled: boolean;
  /** Missing for our own dialect. */
  readonly dialect?: "hermes";
  readonly hooks: readonly HookSpec[];
}

export interface LoadedFolderManifest {
  /** Missing if the folder cannot be used. A wrong event or an unknown key is left out; the rest stays. */
  readonly manifest: FolderManifest | undefined;
  readonly problems: readonly ConfigProblem[];
  /** A remark on how it is read, if that is not obvious. */
  readonly remarks: readonly ConfigProblem[];
  /** What it would have guarded, if it cannot be used. */
  readonly broken: readonly BrokenGuard[];
}

/** Reads the `HOOK.yaml` of a folder, whose handler is in that file. */
export async function readFolderManifest(folder: string, handler?: string): Promise<LoadedFolderManifest> {
  const path = join(resolve(folder), HOOK_FILE);
  return checkFile(await readManifestFile(path, "yaml"), path, handler);
}

export function parseFolderManifest(source: string, path: string, handler?: string): LoadedFolderManifest {
  return checkFile(parseManifest(source, path, "yaml"), path, handler);
}

const shape = {
  name: label.optional(),
  description: z.string("must be text").nullish(),
  events: z.unknown().optional(),
  permissions: permissionList.optional(),
  enabled: flag.optional(),
  dialect: z.enum(["own", "hermes"], 'must be "own" or "hermes"').optional(),
  timeout: timeLimitOrNone.optional(),
  ...hookFields,
};
// Folders of other runtimes have further keys, and still run.
const schema = z
  .looseObject(shape, "must be keys with values, such as events: [tool:before]")
  .superRefine(checkStage)
  .superRefine((hook, context) => refusePaths({ match: hook.match, tool: hook.tool }, goodEvents(hook.events), context));

function checkFile(file: ManifestFile, path: string, handler: string | undefined): LoadedFolderManifest {
  if (file.problems.length > 0)
    return { manifest: undefined, problems: file.problems, remarks: [], broken: assumedGuard(nameOf(path), path) };
  const dialect = dialectOf(file.value, { keys: Object.keys(shape), handler });
  const isOpen = dialect === "hermes" && isTable(file.value) && ["open", undefined].includes(file.value.onFailure as string | undefined);
  const brokenGuards = (value: unknown): BrokenGuard[] => (isOpen ? [] : guardsOf(value, path));
  const { value, problems } = checkManifest(schema, file, dialect === "hermes" ? asHermesReads(file.value) : file.value);
  if (value === undefined) return { manifest: undefined, problems, remarks: [], broken: brokenGuards(file.value) };
  problems.push(...unknownKeys(file, value));
  const events = readEvents(file, value.events, problems);
  if (events.length === 0) return { manifest: undefined, problems, remarks: [], broken: brokenGuards(file.value) };
  const { match, tool, priority, stage, onFailure, idempotent, canary, timeout, timeoutMs = timeout } = value;
  const mode = onFailure ?? (dialect === "hermes" ? "open" : undefined);
  // Hermes prints the exception of a handler and calls the handler again at the next event.
  const suspend = dialect === "hermes" ? false : undefined;
  const common = given({ match, tool, priority, stage, onFailure: mode, suspend, idempotent, canary, timeoutMs });
  const { name = nameOf(path), description, permissions, enabled = true } = value;
  const asked = dialect === "hermes" ? hermesEvents(events) : events;
  const manifest = {
    ...given({ description: description ?? undefined, permissions: permissions ?? (dialect === "hermes" ? neededFor(asked) : undefined) }),
    file: path,
    folder: dirname(path),
    name,
    enabled,
    ...(dialect === "hermes" && { dialect }),
    hooks: asked.map((event) => ({ event, ...common }) as HookSpec),
  };
  const wrong = listOf(value.events).filter((event) => !events.includes(event as string));
  const isImplied = dialect === "hermes" && value.dialect === undefined;
  return {
    manifest,
    problems,
    remarks: [
      ...(isImplied && events.some(takesAnswers) ? [file.problem([], FAILS_OPEN)] : []),
      ...sharedNames(events, "hermes").map((text) => file.problem(["events"], text)),
    ],
    broken: brokenGuards({ ...(file.value as object), events: wrong }),
  };
}

function guardsOf(value: unknown, path: string): BrokenGuard[] {
  if (!isTable(value)) return [];
  return brokenGuard("hook", { name: nameOf(path), ...value, event: value.events ?? value.event }, { file: path });
}

function nameOf(path: string): string {
  return basename(dirname(path)).replaceAll(/\s+/g, "-");
}

function unknownKeys(file: ManifestFile, value: object): ConfigProblem[] {
  const known = Object.keys(shape);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  return unknown.map((key) => file.problem([key], `${quoteKey(key)} is unknown here and ignored.${didYouMean(key, known)}`));
}

function readEvents(file: ManifestFile, value: unknown, problems: ConfigProblem[]): string[] {
  const list = listOf(value);
  if (list.length === 0) problems.push(file.problem(["events"], '"events" is missing: it must be a list of events.'));
  const read = list.map((entry, index) => {
    const path = Array.isArray(value) ? ["events", index] : ["events"];
    const event = checkManifest(eventName, file, entry, path);
    problems.push(...event.problems);
    return event.value;
  });
  return [...new Set(read.filter((event) => event !== undefined))];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

import type { BrokenGuard } from "../../config/config.js";
import { type ConfigProblem, formatProblem } from "../../config/problem.js";
import { parseFolderManifest } from "../folder/hook-yaml.js";
import { pickHandler, pickManifest } from "../folder/pick-files.js";
import type { HookSpec } from "../handler-source.js";
import { type ExtensionManifest, MANIFEST_NAME, parseExtensionManifest } from "../process/manifest.js";
import type { FolderEntry } from "./read-folder.js";

/** What a hook's folder would run, according to the same code that reads it when it runs. */
export interface ManifestSummary {
  readonly file: string;
  /** The handler's file; its extension gives the language. */
  readonly handler?: string;
  /** Program and arguments. */
  readonly command?: readonly string[];
  /** The variables of the hub's environment that it receives. */
  readonly env: readonly string[];
  readonly hooks: readonly HookSpec[];
  /** Missing for our own dialect. */
  readonly dialect?: "hermes";
  readonly permissions: readonly string[];
  /** Why it does not run. */
  readonly fault?: string;
}

/** Undefined for a folder without a manifest. */
export function summarize(entries: readonly FolderEntry[]): ManifestSummary | undefined {
  const isThere = (name: string): boolean => entries.some((entry) => entry.name === name);
  const file = pickManifest(isThere);
  if (file === undefined) return undefined;
  const text = contentOf(entries, file)?.toString("utf8") ?? "";
  if (file === MANIFEST_NAME) return summaryOf(file, parseExtensionManifest(text, file), ofProgram);
  const handler = pickHandler(isThere);
  const summary = summaryOf(file, parseFolderManifest(text, file, handler), ({ dialect }) => (dialect === undefined ? {} : { dialect }));
  if (handler !== undefined) return { ...summary, handler };
  return { ...summary, fault: summary.fault ?? "there is no handler" };
}

export function contentOf(entries: readonly FolderEntry[], name: string): Buffer | undefined {
  const found = entries.find((entry) => entry.name === name);
  return found?.kind === "file" ? found.content : undefined;
}

interface Parsed<M> {
  readonly manifest: M | undefined;
  readonly problems: readonly ConfigProblem[];
  readonly broken: readonly BrokenGuard[];
}

interface Manifest {
  readonly hooks: readonly HookSpec[];
  readonly permissions?: readonly string[];
  readonly enabled: boolean;
}

function summaryOf<M extends Manifest>(
  file: string,
  { manifest, problems, broken }: Parsed<M>,
  more: (manifest: M) => Partial<ManifestSummary>,
): ManifestSummary {
  const closed = broken.flatMap(({ events }) => events.map((event) => ({ event })));
  if (manifest === undefined)
    return { file, env: [], hooks: closed, permissions: [], fault: problems.map(formatProblem)[0] ?? "it cannot be understood" };
  const { hooks, permissions = [], enabled } = manifest;
  const summary = { file, env: [], hooks: [...hooks, ...closed], permissions, ...more(manifest) };
  return enabled ? summary : { ...summary, fault: "it is disabled" };
}

function ofProgram({ command, args, env, config }: ExtensionManifest): Partial<ManifestSummary> {
  const secrets = Object.values(config).flatMap(({ secretEnv }) => secretEnv ?? []);
  return { command: [command, ...args], env: [...new Set([...env, ...secrets])] };
}

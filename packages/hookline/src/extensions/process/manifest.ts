import { basename, dirname, join, resolve } from "node:path";
import type { Framing } from "@hookline/core/internal/wire";
import { z } from "zod";
import type { BrokenGuard } from "../../config/config.js";
import type { ConfigProblem } from "../../config/problem.js";
import { assumedGuard, brokenGuard } from "../../config/schema/broken-guard.js";
import { goodEvents, refusePaths } from "../../config/schema/match-values.js";
import { isTable } from "../../config/schema/read-table.js";
import { filePath, flag, label, variable } from "../../config/schema/values.js";
import type { HookSpec } from "../handler-source.js";
import { checkStage, eventName, given, hookFields, hookName, permissionList } from "../hook-fields.js";
import { checkManifest, type ManifestFile, parseManifest, readManifestFile } from "../manifest-file.js";
import { meaningOf, sharedNames } from "../shared-names.js";

export const MANIFEST_NAME = "extension.json";

/** A setting of an extension. */
interface ConfigKey {
  readonly description?: string;
  readonly default?: unknown;
  readonly required?: boolean;
  /** The environment variable that holds it. It is read at each start and stored nowhere. */
  readonly secretEnv?: string;
}

/** The content of an `extension.json`. */
export interface ExtensionManifest {
  readonly file: string;
  readonly folder: string;
  readonly protocol: 1;
  readonly name: string;
  readonly description?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly framing?: Framing;
  readonly permissions: readonly string[];
  readonly env: readonly string[];
  readonly hooks: readonly HookSpec[];
  readonly config: { readonly [key: string]: ConfigKey };
  readonly enabled: boolean;
}

export interface LoadedManifest {
  /** Missing if the extension cannot be used. A wrong hook is left out; the others stay. */
  readonly manifest: ExtensionManifest | undefined;
  readonly problems: readonly ConfigProblem[];
  /** A remark on how it is read, if that is not obvious. */
  readonly remarks: readonly ConfigProblem[];
  /** What its unusable hooks would have guarded. */
  readonly broken: readonly BrokenGuard[];
}

/** Reads the `extension.json` of a folder. */
export async function readExtensionManifest(folder: string): Promise<LoadedManifest> {
  const path = join(resolve(folder), MANIFEST_NAME);
  return checkFile(await readManifestFile(path, "json"), path);
}

export function parseExtensionManifest(source: string, path: string): LoadedManifest {
  return checkFile(parseManifest(source, path, "json"), path);
}

const configKey = z
  .strictObject(
    {
      description: z.string("must be text").optional(),
      default: z.unknown().optional(),
      required: flag.optional(),
      secretEnv: variable.optional(),
    },
    "must be an object such as { default: 5 }",
  )
  .refine((key) => key.secretEnv === undefined || key.default === undefined, "must be either a secret or have a default, not both");

const manifestSchema = z.strictObject(
  {
    $schema: z.string().optional(),
    protocol: z.literal(1, "must be 1, the protocol version of Hookline"),
    name: label,
    description: z.string("must be text").optional(),
    enabled: flag.optional(),
    command: filePath,
    args: z
      .array(
        z.string("must be text").refine((part) => !part.includes("\0"), "must be text without NUL"),
        "must be a list of texts",
      )
      .optional(),
    framing: z.enum(["newline", "content-length"], 'must be "newline" or "content-length"').optional(),
    permissions: permissionList.optional(),
    env: z.array(variable, "must be a list of names of environment variables").optional(),
    hooks: z.array(z.unknown(), "must be a list of hooks").min(1, "must be a list of at least one hook"),
    config: z.record(z.string(), configKey, "must be an object of settings").optional(),
  },
  "must be an object",
);

const hookSchema = z
  .strictObject({ event: eventName, name: hookName.optional(), ...hookFields }, "must be an object such as { event: … }")
  .superRefine(checkStage)
  .superRefine((hook, context) => refusePaths({ match: hook.match, tool: hook.tool }, goodEvents(hook.event), context));

function checkFile(file: ManifestFile, path: string): LoadedManifest {
  if (file.problems.length > 0)
    return { manifest: undefined, problems: file.problems, remarks: [], broken: assumedGuard(basename(dirname(path)), path) };
  const { value, problems } = checkManifest(manifestSchema, file, file.value);
  if (value === undefined) return { manifest: undefined, problems, remarks: [], broken: guardsIn(file.value, path) };
  const hooks: HookSpec[] = [];
  const remarks: ConfigProblem[] = [];
  const broken: BrokenGuard[] = [];
  for (const [index, entry] of value.hooks.entries()) {
    const hook = checkManifest(hookSchema, file, entry, ["hooks", index]);
    problems.push(...hook.problems);
    if (hook.value !== undefined) {
      const { event } = hook.value;
      hooks.push({ ...given(hook.value), event: meaningOf(event, "synaps")?.event ?? event } as HookSpec);
      remarks.push(...sharedNames([event], "synaps").map((text) => file.problem(["hooks", index, "event"], text)));
    } else broken.push(...guardsIn({ ...value, hooks: [entry] }, path));
  }
  if (hooks.length === 0) return { manifest: undefined, problems, remarks, broken };
  const { $schema: _, hooks: __, args = [], permissions = [], env = [], config = {}, enabled = true, ...rest } = value;
  const manifest = { ...given(rest), file: path, folder: dirname(path), args, permissions, env, hooks, config, enabled };
  return { manifest: manifest as ExtensionManifest, problems, remarks, broken };
}

function guardsIn(manifest: unknown, file: string): BrokenGuard[] {
  if (!isTable(manifest) || manifest.enabled === false) return [];
  if (!Array.isArray(manifest.hooks)) return assumedGuard(basename(dirname(file)), file);
  const tables = manifest.hooks.filter(isTable);
  return tables.flatMap((hook) => brokenGuard("hook", { name: manifest.name, ...hook }, { file }));
}

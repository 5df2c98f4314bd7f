import { join, relative } from "node:path";
import { errorText, HookError } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import type { HookConfig } from "../../config/config.js";
import { guardsOf } from "../../extensions/guards-of.js";
import type { CheckedFiles } from "../../extensions/handler-source.js";
import { readConfigHook } from "../../extensions/installed/config-hook.js";
import { checkedFiles, codeStamp, commandIn, type HookCode, type HookOrigin, readHookCode } from "../../extensions/installed/hook-code.js";
import { readHookFolder } from "../../extensions/installed/hook-folder.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { copyCheck } from "../../extensions/installed/intact-copy.js";
import { openTrustedCopy } from "../../extensions/trust/trusted-copy.js";
import type { PolicyChange } from "../protocol.js";
import type { AcceptedHook } from "./accepted-policy.js";
import { digestOf } from "./shown.js";

/** One of the user's own hooks, as it is on disk. */
export interface SeenHook {
  readonly hook: InstalledHook;
  readonly origin: HookOrigin;
  /** Missing for a hook that does not run. */
  readonly code?: HookCode | undefined;
  readonly fault?: string | undefined;
}

/** Runs only while its files are those that were read. */
export function checkedVersion({ hook, origin, code }: SeenHook, onChanged: () => void): InstalledHook {
  const { open } = hook;
  if (open === undefined || code === undefined) return hook;
  const isFolder = "folder" in origin || origin.config.kind === "extension";
  const check = (since?: CheckedFiles): CheckedFiles => {
    const isSame = codeStamp(code, origin) === code.stamp || readHookCode(origin).digest === code.digest;
    const files = isSame ? checkedFiles(code, isFolder, since) : undefined;
    if (files !== undefined) return files;
    onChanged();
    throw new HookError("HL_UNTRUSTED", `The files of the hook "${hook.name}" changed and wait for acceptance, so it does not run.`, {
      fix: { run: `hookline policy accept ${shellWord(hook.name)}` },
      failure: "untrusted",
    });
  };
  return { ...hook, open: (onProblem) => open(onProblem, check) };
}

/** A new hook, which does not run. */
export function withheld(hook: InstalledHook, { what, inForce }: PolicyChange, isLost: boolean): InstalledHook {
  const { open: _, ...rest } = hook;
  const broken = isLost ? guardsOf(hook, hook.entry?.file ?? hook.path, hook.entry?.line) : [];
  return {
    ...rest,
    state: "waiting",
    broken: [...hook.broken, ...broken],
    version: `waiting ${isLost} ${hook.version}`,
    problems: [...hook.problems, `${hook.path}: ${what} ${inForce}`],
  };
}

/** The version that the operator accepted, from the copy of its files. */
export async function acceptedVersion(record: AcceptedHook, { what, inForce }: PolicyChange, state: string): Promise<InstalledHook> {
  const { id, name, settings, folder, config } = record;
  const path = folder ?? `${config?.file ?? ""}:${config?.line ?? 0}`;
  const shared = {
    id,
    name,
    from: "user",
    path,
    version: `accepted ${record.digest} ${digestOf(settings)}`,
    waits: `${what} ${inForce}`,
  } as const;
  const entry = config === undefined ? {} : { entry: { file: config.file, line: config.line } };
  if (!settings.enabled)
    return { ...shared, ...entry, kind: "folder", state: "disabled", hooks: [], broken: [], problems: [], permissions: [] };
  try {
    const copy = record.copy === undefined ? undefined : openTrustedCopy(state, record.copy);
    const read =
      config === undefined
        ? await readHookFolder(needed(copy, name), { permissions: "everything" })
        : await readConfigHook(inCopy(config, record.root, copy));
    const { open } = read;
    const check = copy === undefined || record.copy === undefined ? undefined : copyCheck(name, { folder: copy, hash: record.copy });
    return {
      ...read,
      ...shared,
      ...entry,
      kind: read.kind,
      problems: [...read.problems, `${path}: ${shared.waits}`],
      ...(open !== undefined && { open: (onProblem) => open(onProblem, check) }),
    };
  } catch (error) {
    const problem = `${path}: the accepted version cannot be run, so what it guards is denied. ${errorText(error)}`;
    const broken = guardsOf({ name, hooks: settings.hooks }, config?.file ?? path, config?.line);
    return {
      ...shared,
      ...entry,
      kind: "folder",
      state: "broken",
      hooks: [],
      broken,
      problems: [problem],
      permissions: [],
      version: `${shared.version} lost`,
    };
  }
}

function inCopy(config: HookConfig, root: string, copy: string | undefined): HookConfig {
  if (config.kind === "module") return { ...config, module: join(needed(copy, config.name), relative(root, config.module)) };
  if (config.kind === "extension") return { ...config, folder: needed(copy, config.name) };
  return config.kind === "command" && copy !== undefined ? commandIn(config, root, copy) : config;
}

function needed(copy: string | undefined, name: string): string {
  if (copy !== undefined) return copy;
  throw new HookError("HL_TRUST_STORE", `There is no copy of the accepted files of the hook "${name}".`, { failure: "untrusted" });
}

import { HookError } from "@hookline/core";
import { findFault } from "./find-fault.js";
import type { ProjectHook } from "./project-hooks.js";
import { type FolderEntry, readAlone, readFolder } from "./read-folder.js";

/** Everything that a project's hook consists of. Throws `HL_TRUST_FOLDER`. */
export function readHook(hook: ProjectHook): readonly FolderEntry[] {
  if (hook.fault !== undefined)
    throw new HookError("HL_TRUST_FOLDER", `"${hook.path}" is no hook: ${hook.fault}.`, { failure: "untrusted" });
  return hook.kind === "config" ? readAlone(hook.path) : readFolder(hook.path);
}

/** Throws `HL_TRUST_FOLDER` for what nobody can consent to. Also of a copy: an older version may have taken what this one does not. */
export function requireFit(hook: ProjectHook, entries: readonly FolderEntry[]): void {
  const fault = findFault(hook, entries);
  if (fault === undefined) return;
  throw new HookError("HL_TRUST_FOLDER", `The hook "${hook.path}" cannot be trusted like this: ${fault}.`, { failure: "untrusted" });
}

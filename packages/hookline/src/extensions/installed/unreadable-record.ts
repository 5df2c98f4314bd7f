import { catalog, errorText, HookError } from "@hookline/core";
import { defaultFailureMode, everyPermission } from "../../rules/default-failure.js";
import type { InstalledHook } from "./installed-hook.js";
import { createRefusingPlaceholder } from "./refusing-source.js";

/** Everything that a hook or rule could guard. */
export const everyGuardable = [...Object.keys(catalog), "command:*"].filter((event) => defaultFailureMode(event) === "closed");

const NAME = "trust.json";

/** Replaces all hooks of projects while the record of consent cannot be read: what they might guard is denied. */
export function unreadableRecord(path: string, cause: Error): InstalledHook {
  const message = `Everything that projects' hooks guard is denied, because the record of consent to them cannot be read. ${cause.message}`;
  const fix = cause instanceof HookError ? cause.fix : undefined;
  const error = new HookError("HL_TRUST_STORE", message, { fix, failure: "untrusted", cause });
  // With a canary, because a selftest must not pass here.
  const hooks = everyGuardable.map((event) => ({ event, canary: "ls" }));
  return {
    id: NAME,
    name: NAME,
    kind: "folder",
    from: "project",
    isForEveryProject: true,
    state: "broken",
    path,
    version: cause.message,
    hooks,
    problems: [errorText(error)],
    broken: [],
    permissions: everyPermission,
    open: () => createRefusingPlaceholder({ name: NAME, path, hooks }, error),
  };
}

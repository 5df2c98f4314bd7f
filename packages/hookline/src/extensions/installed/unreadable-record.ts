import { catalog, errorText, HookError } from "@hookline/core";
import { defaultFailureMode, everyPermission } from "../../rules/default-failure.js";
import type { InstalledHook } from "./installed-hook.js";
import { createNobody } from "./refusing-source.js";

/** All that could be guarded by a hook or a rule. */
export const everyGuardable = [...Object.keys(catalog), "command:*"].filter((event) => defaultFailureMode(event) === "closed");

const NAME = "trust.json";

/** In the place of all that projects bring, while nobody can say what was consented to: what they might guard is denied. */
export function unreadableRecord(path: string, cause: Error): InstalledHook {
  const message = `What the hooks of projects guard is denied, for nobody can say which of them were consented to. ${cause.message}`;
  const fix = cause instanceof HookError ? cause.fix : undefined;
  const error = new HookError("HL_TRUST_STORE", message, { fix, failure: "untrusted", cause });
  // With a canary: a selftest must not find that all is well.
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
    open: () => createNobody({ name: NAME, path, hooks }, error),
  };
}

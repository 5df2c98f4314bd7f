import type { BrokenGuard } from "../config/config.js";
import { canFailClosed, defaultFailureMode } from "../rules/default-failure.js";
import type { HookSpec } from "./handler-source.js";

/** The failure mode of a hook from a file. */
export function failureModeOf({ event, stage, onFailure }: HookSpec): "open" | "closed" {
  return stage === "observe" ? "open" : (onFailure ?? defaultFailureMode(event));
}

/** What stays closed if these hooks cannot run. */
export function guardsOf(
  { name, hooks }: { readonly name: string; readonly hooks: readonly HookSpec[] },
  file: string,
  line?: number,
): BrokenGuard[] {
  return hooks
    .filter((hook) => failureModeOf(hook) === "closed" && canFailClosed(hook.event))
    .map(({ event, tool }) => ({
      kind: "hook",
      name,
      events: [event],
      file,
      ...(line !== undefined && { line }),
      ...(tool !== undefined && { tool }),
    }));
}

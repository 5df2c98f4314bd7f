import { findEvent, type HookError } from "@hookline/core";
import { deriveSource } from "../derive-source.js";
import { failureModeOf } from "../guards-of.js";
import type { HandlerSource, OwnedSource } from "../handler-source.js";

/** Replaces a source that may not run: its closed guards deny, its closed transforms withhold, and the others do nothing. */
export function createRefusingSource(source: OwnedSource, error: HookError): OwnedSource {
  return deriveSource(source, {
    hooks: source.hooks.filter((hook) => failureModeOf(hook) === "closed"),
    // A pattern also covers events that cannot be decided.
    handle: ({ name }) => (findEvent(name)?.spec.kind === "observe" ? undefined : Promise.reject(error)),
    start: async () => {},
    health: () => ({ state: "stopped" }),
  });
}

/** The same without a source. */
export function createRefusingPlaceholder(described: Pick<HandlerSource, "name" | "path" | "hooks">, error: HookError): OwnedSource {
  const placeholder: OwnedSource = {
    ...described,
    kind: "folder",
    handle: () => undefined,
    health: () => ({ state: "stopped" }),
    close: async () => {},
  };
  return createRefusingSource(placeholder, error);
}

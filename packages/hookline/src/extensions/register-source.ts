import { type Bus, type GateHandler, type HandlerOptions, HookError, type Off } from "@hookline/core";
import { defaultFailureMode } from "../rules/default-failure.js";
import type { HandlerSource, HookSpec } from "./handler-source.js";

export interface RegisterOptions {
  /** What the source may do; its own list unless the user grants another. */
  readonly permissions?: readonly string[];
  readonly onError: (error: HookError) => void;
}

/** Puts a source's hooks on a bus in the source's name. One that is refused is reported and leaves the others alone. */
export function registerSource(bus: Bus, source: HandlerSource, { permissions = source.permissions, onError }: RegisterOptions): Off[] {
  return source.hooks.flatMap((hook): Off[] => {
    const handle = ((event) => source.handle(event, hook)) as GateHandler<"tool:before">;
    try {
      return [bus.on(hook.event as "tool:before", handle, optionsOf(source, hook, permissions))];
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      onError(error);
      return [];
    }
  });
}

function optionsOf(source: HandlerSource, hook: HookSpec, permissions: readonly string[] | undefined): HandlerOptions {
  const { event, name = source.name, match, tool, priority, stage, timeoutMs } = hook;
  return {
    name,
    owner: source.name,
    permissions: permissions ?? [],
    onFailure: stage === "observe" ? "open" : (hook.onFailure ?? defaultFailureMode(event)),
    health: () => source.health(),
    ...(source.path !== undefined && { path: source.path }),
    ...(source.description !== undefined && { description: source.description }),
    ...(match !== undefined && { match }),
    ...(tool !== undefined && { tool }),
    ...(priority !== undefined && { priority }),
    ...(stage !== undefined && { stage }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

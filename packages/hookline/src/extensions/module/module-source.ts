import type { HookEvent } from "@hookline/core";
import type { HookSpec, OwnedSource, SourceAnswer } from "../handler-source.js";
import { createLazyFunction } from "./lazy-function.js";

export interface ModuleSpec {
  readonly name: string;
  readonly description?: string;
  /** The absolute path of the module. */
  readonly module: string;
  readonly export: string;
  readonly hooks: readonly HookSpec[];
}

type Handle = (event: HookEvent) => SourceAnswer | Promise<SourceAnswer>;

/** A function in a module that `hookline.toml` names. It receives the event like a handler in code. */
export function createModuleSource({ name, description, module, export: exported, hooks }: ModuleSpec): OwnedSource {
  const lazy = createLazyFunction<Handle>({ name, path: module, exported });
  return {
    name,
    kind: "module",
    path: module,
    hooks,
    ...(description !== undefined && { description }),
    handle(event) {
      const handle = lazy.get();
      return handle instanceof Promise ? handle.then((loaded) => loaded(event)) : handle(event);
    },
    start: async () => void (await lazy.get()),
    health: lazy.health,
    close: async () => lazy.stop(),
  };
}

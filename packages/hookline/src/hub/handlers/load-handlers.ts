import { existsSync } from "node:fs";
import { type Bus, catalog, families, type HandlerOptions, HookError, lazy, type Off, resolveEvent } from "@hookline/core";
import type { HookConfig } from "../../config/config.js";
import { defaultFailureMode } from "./default-failure.js";
import { importModule } from "./import-module.js";

const OWNER = "config";

export interface LoadedHandlers {
  close(): void;
}

/** Puts the hooks of `hookline.toml` on the hub's bus. Their modules are loaded at their first event; one that cannot be is a failed handler. */
export function loadHandlers(bus: Bus, hooks: readonly HookConfig[], onError: (error: HookError) => void): LoadedHandlers {
  const offs: Off[] = [];
  for (const hook of hooks) {
    if (!existsSync(hook.module)) onError(notThere(hook));
    const module = createModule(hook);
    for (const event of hook.events) {
      try {
        offs.push(bus.on(event as "tool:before", module.handle, { ...optionsOf(hook, event), health: module.health }));
      } catch (error) {
        onError(asHookError(error));
      }
    }
  }
  return {
    close() {
      for (const off of offs.splice(0)) off();
    },
  };
}

function createModule(hook: HookConfig) {
  let state: "not loaded" | "loaded" | "failed" = "not loaded";
  async function load(): Promise<object> {
    try {
      const loaded = await importModule(hook);
      state = "loaded";
      return loaded;
    } catch (error) {
      state = "failed";
      throw error;
    }
  }
  return { handle: lazy(load, hook.export), health: () => ({ state }) };
}

function optionsOf(hook: HookConfig, event: string): HandlerOptions {
  const { name, match, tool, priority, stage, timeoutMs, file, line } = hook;
  return {
    name,
    owner: OWNER,
    permissions,
    path: hook.module,
    description: `${file}:${line}`,
    onFailure: stage === "observe" ? "open" : (hook.onFailure ?? defaultFailureMode(event)),
    ...(match !== undefined && { match }),
    ...(tool !== undefined && { tool }),
    ...(priority !== undefined && { priority }),
    ...(stage !== undefined && { stage }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

/** Whoever writes the user's own configuration may do everything. */
const permissions = [
  ...new Set([...Object.values(catalog), ...Object.values(families), resolveEvent("any:event").spec].map(({ permission }) => permission)),
];

function notThere({ name, module, file, line }: HookConfig): HookError {
  return new HookError(
    "HL_HOOK_MODULE",
    `${file}:${line}: the module "${module}" of the hook "${name}" is not there. Until it is, the hook fails.`,
    {
      handler: name,
    },
  );
}

function asHookError(error: unknown): HookError {
  if (error instanceof HookError) return error;
  return new HookError("HL_HOOK_MODULE", error instanceof Error ? error.message : String(error), { cause: error });
}

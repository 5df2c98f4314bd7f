import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { HookError } from "@hookline/core";
import type { HookConfig } from "../../config/config.js";

/** Loads a hook's module as it is now on disk. Throws `HL_HOOK_MODULE`. */
export async function importModule({ name, module, export: exported }: HookConfig): Promise<{ readonly [name: string]: unknown }> {
  let loaded: { readonly [name: string]: unknown };
  try {
    const { mtimeMs, size } = statSync(module);
    const url = pathToFileURL(module);
    // Node keeps a module that failed; a file that was mended is another one.
    url.search = `?${mtimeMs}-${size}`;
    loaded = (await import(url.href)) as { readonly [name: string]: unknown };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HookError("HL_HOOK_MODULE", `The module "${module}" of the hook "${name}" cannot be loaded: ${reason}`, {
      failure: "spawn_error",
      cause,
    });
  }
  if (typeof loaded[exported] === "function") return loaded;
  const names = Object.keys(loaded).join(", ") || "nothing";
  const message = `The module "${module}" of the hook "${name}" exports no function "${exported}"; it exports ${names}.`;
  throw new HookError("HL_HOOK_MODULE", message, { failure: "spawn_error" });
}

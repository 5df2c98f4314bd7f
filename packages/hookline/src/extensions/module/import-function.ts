import { pathToFileURL } from "node:url";
import { HookError } from "@hookline/core";
import { freshUrl } from "./fresh-imports.js";

/** Where a hook's function is. */
export interface FunctionPlace {
  /** The hook's name. */
  readonly name: string;
  /** The module's path, in full. */
  readonly path: string;
  readonly exported: string;
}

/** Loads a function from a module as it is now on disk. Throws `HL_HOOK_MODULE`. */
export async function importFunction<F>({ name, path, exported }: FunctionPlace): Promise<F> {
  const loaded = await load(name, path);
  if (typeof loaded[exported] === "function") return loaded[exported] as F;
  const names = Object.keys(loaded).join(", ") || "nothing";
  throw unusable(`The module "${path}" of the hook "${name}" exports no function "${exported}"; it exports ${names}.`);
}

async function load(name: string, path: string): Promise<{ readonly [name: string]: unknown }> {
  try {
    return (await import(freshUrl(pathToFileURL(path)).href)) as { readonly [name: string]: unknown };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw unusable(`The module "${path}" of the hook "${name}" cannot be loaded: ${reason}`, cause);
  }
}

function unusable(message: string, cause?: unknown): HookError {
  return new HookError("HL_HOOK_MODULE", message, { failure: "spawn_error", ...(cause !== undefined && { cause }) });
}

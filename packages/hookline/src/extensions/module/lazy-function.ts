import { registerHooks } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HookError } from "@hookline/core";
import type { SourceHealth } from "../handler-source.js";

/** A function in a file, loaded on first use. */
export interface LazyFunction<F> {
  /** The loaded function. Rejects with `HL_HOOK_MODULE`; the next call tries again, because the file may have been fixed. */
  get(): F | Promise<F>;
  health(): SourceHealth;
  stop(): void;
}

export function createLazyFunction<F>(place: FunctionPlace): LazyFunction<F> {
  let current: F | undefined;
  let loading: Promise<F> | undefined;
  let state: SourceHealth["state"] = "loaded";
  const isStopped = (): boolean => state === "stopped";

  async function load(): Promise<F> {
    state = "starting";
    try {
      const loaded = await importFunction<F>(place);
      if (!isStopped()) [current, state] = [loaded, "running"];
      return loaded;
    } catch (error) {
      if (!isStopped()) state = "failed";
      throw error;
    } finally {
      loading = undefined;
    }
  }

  return {
    get() {
      if (current !== undefined) return current;
      if (isStopped()) throw new HookError("HL_EXTENSION_STOPPED", `Hook "${place.name}" has been stopped.`, { failure: "disabled" });
      loading ??= load();
      return loading;
    },
    health: () => ({ state }),
    stop() {
      [current, state] = [undefined, "stopped"];
    },
  };
}

const KEY = "hookline";
let isRegistered = false;
let loads = 0;

/**
 * The URL of a module in its current version, including everything that it imports from its own folder. Node caches what it has loaded,
 * also failures.
 */
function freshUrl(file: URL): URL {
  if (!isRegistered) registerHooks({ resolve: passOn });
  isRegistered = true;
  const url = new URL(file);
  url.searchParams.set(KEY, String(++loads));
  return url;
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

const passOn: Resolve = (specifier, context, next) => {
  const found = next(specifier, context);
  const load = loadOf(context.parentURL);
  if (load === undefined || !found.url.startsWith("file:") || loadOf(found.url) !== undefined) return found;
  const url = new URL(found.url);
  if (!isBelow(url, new URL(context.parentURL ?? ""))) return found;
  url.searchParams.set(KEY, load);
  return { ...found, url: url.href };
};

function loadOf(url: string | undefined): string | undefined {
  return url?.startsWith("file:") ? (new URL(url).searchParams.get(KEY) ?? undefined) : undefined;
}

/** Installed packages and files outside its folder keep their URL. */
function isBelow(url: URL, parent: URL): boolean {
  const path = fileURLToPath(url);
  return path.startsWith(dirname(fileURLToPath(parent))) && !path.includes("/node_modules/");
}

/** The location of a hook's function. */
interface FunctionPlace {
  /** The hook's name. */
  readonly name: string;
  /** The absolute path of the module. */
  readonly path: string;
  readonly exported: string;
}

/** Loads a function from the current version of a module. Throws `HL_HOOK_MODULE`. */
async function importFunction<F>({ name, path, exported }: FunctionPlace): Promise<F> {
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

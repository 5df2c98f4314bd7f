import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { HookError, type HookEvent } from "@hookline/core";
import type { HandlerSource, SourceAnswer, SourceHealth } from "../handler-source.js";
import { readCommandAnswer } from "./command-answer.js";
import type { FolderManifest } from "./hook-yaml.js";

type Handle = (eventType: string, context: object, event: HookEvent) => SourceAnswer | Promise<SourceAnswer>;

export interface ModuleHandler extends HandlerSource {
  /** Loads the file as it is now; when it cannot be loaded, what was loaded before stays and this rejects. */
  reload(): Promise<void>;
}

/** A handler in TypeScript or JavaScript. Its file is loaded at its first event. */
export function createModuleHandler(manifest: FolderManifest, path: string): ModuleHandler {
  const { name, hooks, description, permissions, file } = manifest;
  let loading: Promise<Handle> | undefined;
  let state: SourceHealth["state"] = "loaded";

  function load(): Promise<Handle> {
    state = "starting";
    loading = importHandle(name, path);
    loading.then(
      () => {
        if (state === "starting") state = "running";
      },
      () => {
        // The next event tries again: the file may have been mended.
        loading = undefined;
        if (state === "starting") state = "failed";
      },
    );
    return loading;
  }

  return {
    name,
    kind: "folder",
    hooks,
    path: file,
    ...(description !== undefined && { description }),
    ...(permissions !== undefined && { permissions }),
    async handle(event) {
      if (state === "stopped") throw new HookError("HL_EXTENSION_STOPPED", `Hook "${name}" has been stopped.`, { failure: "disabled" });
      const handle = await (loading ?? load());
      return readCommandAnswer(await handle(event.name, contextOf(event), event), event);
    },
    health: () => ({ state }),
    async reload() {
      const next = await importHandle(name, path);
      loading = Promise.resolve(next);
      if (state !== "stopped") state = "running";
    },
    async close() {
      state = "stopped";
      loading = undefined;
    },
  };
}

function contextOf({ payload, session, value }: HookEvent): object {
  const context: Record<string, unknown> = { ...(payload as object) };
  if (session !== undefined) context.session_id ??= session.id;
  if (value !== undefined) context.value ??= value;
  return context;
}

async function importHandle(name: string, path: string): Promise<Handle> {
  let loaded: { readonly handle?: unknown };
  try {
    const { mtimeMs, size } = statSync(path);
    const url = pathToFileURL(path);
    // Node keeps a module that failed; a file that was mended is another one.
    url.search = `?${mtimeMs}-${size}`;
    loaded = (await import(url.href)) as { readonly handle?: unknown };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HookError("HL_HOOK_MODULE", `The file "${path}" of the hook "${name}" cannot be loaded: ${reason}`, {
      failure: "spawn_error",
      cause,
    });
  }
  if (typeof loaded.handle === "function") return loaded.handle as Handle;
  const names = Object.keys(loaded).join(", ") || "nothing";
  throw new HookError("HL_HOOK_MODULE", `The file "${path}" of the hook "${name}" exports no function "handle"; it exports ${names}.`, {
    failure: "spawn_error",
  });
}

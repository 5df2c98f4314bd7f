import type { HookEvent } from "@hookline/core";
import type { OwnedSource, SourceAnswer } from "../handler-source.js";
import { createLazyFunction } from "../module/lazy-function.js";
import { readCommandAnswer } from "./command-answer.js";
import { hermesEventType, readHermesAnswer } from "./hermes-folder.js";
import type { FolderManifest } from "./hook-yaml.js";

type Handle = (eventType: string, context: object, event: HookEvent) => SourceAnswer | Promise<SourceAnswer>;

/** A handler in TypeScript or JavaScript. Its file is loaded at its first event. */
export function createModuleHandler(manifest: FolderManifest, path: string): OwnedSource {
  const { name, hooks, description, permissions, file, dialect } = manifest;
  const lazy = createLazyFunction<Handle>({ name, path, exported: "handle" });
  return {
    name,
    kind: "folder",
    hooks,
    path: file,
    ...(description !== undefined && { description }),
    ...(permissions !== undefined && { permissions }),
    async handle(event, hook) {
      const handle = await lazy.get();
      if (dialect !== "hermes") return readCommandAnswer(await handle(event.name, contextOf(event), event), event);
      return readHermesAnswer(await handle(hermesEventType(event, hook), contextOf(event), event), event);
    },
    start: async () => void (await lazy.get()),
    health: lazy.health,
    close: async () => lazy.stop(),
  };
}

function contextOf({ payload, session, value }: HookEvent): object {
  const context: Record<string, unknown> = { ...(payload as object) };
  if (session !== undefined) context.session_id ??= session.id;
  if (value !== undefined) context.value ??= value;
  return context;
}

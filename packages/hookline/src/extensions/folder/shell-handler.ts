import { basename, dirname } from "node:path";
import { createCommandSource } from "../command/command-source.js";
import type { OwnedSource } from "../handler-source.js";
import type { FolderManifest } from "./hook-yaml.js";

/** A hook folder whose handler is a shell script: it is run once per event and speaks our own dialect, or that of Hermes' shell hooks. */
export function createShellHandler({ name, description, file, permissions, hooks, dialect }: FolderManifest, path: string): OwnedSource {
  const source = createCommandSource({
    name,
    command: "/bin/sh",
    args: [basename(path)],
    folder: dirname(path),
    hooks,
    path: file,
    ...(description !== undefined && { description }),
    ...(dialect !== undefined && { dialect }),
  });
  return { ...source, kind: "folder", ...(permissions !== undefined && { permissions }) };
}

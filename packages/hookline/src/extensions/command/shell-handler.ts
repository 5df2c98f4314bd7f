import { basename, dirname } from "node:path";
import type { HandlerSource, HookSpec } from "../handler-source.js";
import { createCommandSource } from "./command-source.js";

/** What a hook folder says of itself. */
interface ShellManifest {
  readonly name: string;
  readonly description?: string;
  readonly file: string;
  readonly permissions?: readonly string[];
  readonly hooks: readonly HookSpec[];
}

/** A hook folder whose handler is a shell script: it is run once per event and speaks our own dialect. */
export function createShellHandler({ name, description, file, permissions, hooks }: ShellManifest, path: string): HandlerSource {
  const source = createCommandSource({
    name,
    command: "/bin/sh",
    args: [basename(path)],
    folder: dirname(path),
    hooks,
    path: file,
    ...(description !== undefined && { description }),
  });
  return { ...source, kind: "folder", ...(permissions !== undefined && { permissions }) };
}

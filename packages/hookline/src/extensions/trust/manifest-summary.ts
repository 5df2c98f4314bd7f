import { parse } from "yaml";
import { handlerFiles } from "../folder/handler-files.js";
import { HOOK_FILE } from "../folder/hook-yaml.js";
import { MANIFEST_NAME } from "../process/manifest.js";
import type { FolderEntry } from "./read-folder.js";

/** What a hook's manifest says would run, for a person to read. Whoever runs it reads the manifest himself, and more strictly. */
export interface ManifestSummary {
  readonly file: string;
  readonly runs: string;
  readonly events: readonly string[];
  readonly permissions: readonly string[];
  readonly fault?: string;
}

const MAX_ALIASES = 10;

export function summarize(entries: readonly FolderEntry[]): ManifestSummary | undefined {
  for (const file of [MANIFEST_NAME, HOOK_FILE]) {
    const content = contentOf(entries, file);
    if (content === undefined) continue;
    try {
      return read(file, content, entries);
    } catch (error) {
      return {
        file,
        runs: "",
        events: [],
        permissions: [],
        fault: `it cannot be understood: ${String((error as Error).message).split("\n")[0]}`,
      };
    }
  }
  return undefined;
}

function read(file: string, content: string, entries: readonly FolderEntry[]): ManifestSummary {
  const document: unknown = file.endsWith(".json") ? JSON.parse(content) : parse(content, { maxAliasCount: MAX_ALIASES });
  if (typeof document !== "object" || document === null) throw new Error("it holds no table");
  const { command, args, events, hooks, permissions } = document as { readonly [key: string]: unknown };
  const handler = handlerFiles.find((name) => contentOf(entries, name) !== undefined);
  return {
    file,
    runs: command === undefined ? (handler ?? "nothing: there is no handler") : [command, ...listOf(args)].map(String).join(" "),
    events: [...listOf(events), ...listOf(hooks)].map(eventOf),
    permissions: listOf(permissions).map(String),
  };
}

function contentOf(entries: readonly FolderEntry[], name: string): string | undefined {
  const found = entries.find((entry) => entry.kind === "file" && entry.name === name);
  return found?.kind === "file" ? found.content.toString("utf8") : undefined;
}

function eventOf(hook: unknown): string {
  const { event, hook: name } = (typeof hook === "object" && hook !== null ? hook : { event: hook }) as { readonly [key: string]: unknown };
  return String(event ?? name);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}
